#include <ck_fifo.h>

#include "../threads.h"

static ck_fifo_mpmc_t fifo;
static ck_fifo_mpmc_entry_t entries[3] __attribute__((aligned(16)));
static int values[2];
static int taken[2];

static void *producer(void *number)
{
	uintptr_t me = (uintptr_t)number;
	values[me] = 42;
	ck_fifo_mpmc_enqueue(&fifo, &entries[1 + me], &values[me]);
	return NULL;
}

static void *consumer(void *unused)
{
	ck_fifo_mpmc_entry_t *garbage;
	int *found;
	if (ck_fifo_mpmc_dequeue(&fifo, &found, &garbage)) {
		assert(*found == 42);
		taken[found - values]++;
	}
	return unused;
}

int main(void)
{
	ck_fifo_mpmc_init(&fifo, &entries[0]);
	RUN(producer, producer, consumer);
	assert(taken[0] < 2 && taken[1] < 2);
	return 0;
}
