#include <ck_fifo.h>

#include "../threads.h"

static ck_fifo_spsc_t fifo;
static ck_fifo_spsc_entry_t entries[3];
static int values[2] = {1, 2};

static void *producer(void *unused)
{
	ck_fifo_spsc_enqueue(&fifo, &entries[1], &values[0]);
	ck_fifo_spsc_enqueue(&fifo, &entries[2], &values[1]);
	return unused;
}

static void *consumer(void *unused)
{
	int *found, last = 0;
	for (int i = 0; i < 2; i++)
		if (ck_fifo_spsc_dequeue(&fifo, &found)) {
			assert(*found == last + 1);
			last = *found;
		}
	return unused;
}

int main(void)
{
	ck_fifo_spsc_init(&fifo, &entries[0]);
	RUN(producer, consumer);
	return 0;
}
