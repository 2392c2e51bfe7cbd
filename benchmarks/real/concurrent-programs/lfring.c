#include "lfring/lfring.h"

#include "../threads.h"

static lfring_t *ring;
static int values[2];
static int taken[2];

static void *producer(void *number)
{
	uintptr_t me = (uintptr_t)number;
	void *item = &values[me];
	values[me] = 42;
	assert(lfring_enqueue(ring, &item, 1) == 1);
	return NULL;
}

static void *consumer(void *unused)
{
	void *found = NULL;
	uint32_t index;
	(void)unused;
	if (lfring_dequeue(ring, &found, 1, &index) == 1) {
		assert(*(int *)found == 42);
		__atomic_fetch_add(&taken[(int *)found - values], 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(void)
{
	ring = lfring_alloc(2, LFRING_FLAG_MP | LFRING_FLAG_MC);
	RUN(producer, producer, consumer);
	assert(taken[0] < 2 && taken[1] < 2);
	return 0;
}
