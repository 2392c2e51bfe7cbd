#define main unused_main
#include "work-steal/work-steal.c"
#undef main

#include "../threads.h"

static deque_t deque;
static int finished[2];
static work_t works[2];

static void count(work_t *found)
{
	if (found != EMPTY && found != ABORT)
		__atomic_fetch_add(&finished[found - works], 1, __ATOMIC_RELAXED);
}

static void *owner(void *unused)
{
	(void)unused;
	push(&deque, &works[0]);
	push(&deque, &works[1]);
	count(take(&deque));
	return NULL;
}

static void *thief(void *unused)
{
	(void)unused;
	count(steal(&deque));
	return NULL;
}

int main(void)
{
	init(&deque, 4);
	RUN(owner, thief);
	assert(finished[0] < 2 && finished[1] < 2);
	return 0;
}
