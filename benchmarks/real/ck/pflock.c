#include <ck_pflock.h>

#include "../threads.h"

static ck_pflock_t lock = CK_PFLOCK_INITIALIZER;
static int first, second;

static void *writer(void *unused)
{
	ck_pflock_write_lock(&lock);
	first++;
	second++;
	ck_pflock_write_unlock(&lock);
	return unused;
}

static void *reader(void *unused)
{
	ck_pflock_read_lock(&lock);
	assert(first == second);
	ck_pflock_read_unlock(&lock);
	return unused;
}

int main(void)
{
	
	RUN(writer, reader, writer);
	return 0;
}
