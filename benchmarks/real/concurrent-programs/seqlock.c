#include "seqlock/seqlock.h"

#include "../threads.h"

static seqlock_t lock;
static uint64_t shared[2];

static void *writer(void *unused)
{
	uint64_t mine[2] = {1, 1};
	(void)unused;
	seqlock_write(&lock, mine, shared, sizeof shared);
	return NULL;
}

static void *reader(void *unused)
{
	uint64_t mine[2] = {7, 8};
	(void)unused;
	seqlock_read(&lock, mine, shared, sizeof shared);
	assert(mine[0] == mine[1]);
	return NULL;
}

int main(void)
{
	seqlock_init(&lock);
	RUN(writer, reader);
	return 0;
}
