#include <ck_bytelock.h>

#include "../threads.h"

static ck_bytelock_t lock = CK_BYTELOCK_INITIALIZER;
static int first, second;

static void *writer(void *unused)
{
	ck_bytelock_write_lock(&lock, 1);
	first++;
	second++;
	ck_bytelock_write_unlock(&lock);
	return unused;
}

static void *reader(void *unused)
{
	ck_bytelock_read_lock(&lock, 2 + (uintptr_t)unused);
	assert(first == second);
	ck_bytelock_read_unlock(&lock, 2 + (uintptr_t)unused);
	return unused;
}

int main(void)
{
	
	RUN(writer, reader, reader);
	return 0;
}
