#include <ck_rwlock.h>

#include "../threads.h"

static ck_rwlock_t lock = CK_RWLOCK_INITIALIZER;
static int first, second;

static void *writer(void *unused)
{
	ck_rwlock_write_lock(&lock);
	first++;
	second++;
	ck_rwlock_write_unlock(&lock);
	return unused;
}

static void *reader(void *unused)
{
	ck_rwlock_read_lock(&lock);
	assert(first == second);
	ck_rwlock_read_unlock(&lock);
	return unused;
}

int main(void)
{
	
	RUN(writer, reader, writer);
	return 0;
}
