#define main unused_main
#include "spmc/spmc.c"
#undef main

#include "../threads.h"

static spmc_ref_t queue;
static uintptr_t taken[3];

static void *producer(void *unused)
{
	(void)unused;
	assert(spmc_enqueue(queue, 1));
	assert(spmc_enqueue(queue, 2));
	return NULL;
}

static void *consumer(void *number)
{
	spmc_dequeue(queue, &taken[(uintptr_t)number]);
	return NULL;
}

int main(void)
{
	queue = spmc_new(2, NULL);
	RUN(producer, consumer, consumer);
	assert(taken[1] + taken[2] == 3);
	spmc_delete(queue);
	return 0;
}
