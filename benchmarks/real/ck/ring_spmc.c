#include <ck_ring.h>

#include "../threads.h"

static ck_ring_t ring;
static ck_ring_buffer_t buffer[4];
static int values[2];
static int taken[2];

static void *producer(void *number)
{
	uintptr_t me = (uintptr_t)number;
	values[me] = 42;
	assert(ck_ring_enqueue_spmc(&ring, buffer, &values[me]));
	return NULL;
}

static void *consumer(void *number)
{
	int *found;
	(void)number;
	if (ck_ring_dequeue_spmc(&ring, buffer, &found)) {
		assert(*found == 42);
		__atomic_fetch_add(&taken[found - values], 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(void)
{
	ck_ring_init(&ring, 4);
	RUN(producer, consumer, consumer);
	assert(taken[0] < 2 && taken[1] < 2);
	return 0;
}
