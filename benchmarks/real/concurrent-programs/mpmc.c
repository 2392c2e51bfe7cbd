#define main unused_main
#include "mpmc/mpmc.c"
#undef main

#include "../threads.h"

static mpmc_t queue;
static uintptr_t taken;

static void *put(void *number)
{
	handle_t *me = calloc(1, sizeof *me);
	(void)number;
	mpmc_queue_register(&queue, me, ENQUEUE);
	mpmc_enqueue(&queue, me, (void *)1);
	return NULL;
}

static void *take(void *number)
{
	handle_t *me = calloc(1, sizeof *me);
	(void)number;
	mpmc_queue_register(&queue, me, DEQUEUE);
	taken = (uintptr_t)mpmc_dequeue(&queue, me);
	return NULL;
}

int main(void)
{
	mpmc_init_queue(&queue, 1, 1, 8);
	RUN(put, take);
	assert(taken == 1);
	return 0;
}
