#include <ck_swlock.h>

#include "../threads.h"

static ck_swlock_t lock = CK_SWLOCK_INITIALIZER;
static int first, second;

static void *writer(void *unused)
{
	ck_swlock_write_lock(&lock);
	first++;
	second++;
	ck_swlock_write_unlock(&lock);
	return unused;
}

static void *reader(void *unused)
{
	ck_swlock_read_lock(&lock);
	assert(first == second);
	ck_swlock_read_unlock(&lock);
	return unused;
}

int main(void)
{
	
	RUN(writer, reader, reader);
	return 0;
}
