#include "../threads.h"

#include <stdbool.h>
#include <sys/types.h>

#include <ringbuf.h>

#ifndef PRODUCERS
#define PRODUCERS 1
#endif

static ringbuf_t *ring;
static ringbuf_worker_t *workers[PRODUCERS];
static char buffer[4];

static void *put(void *me)
{
	ringbuf_worker_t *worker = workers[(uintptr_t)me];
	ssize_t at = ringbuf_acquire(ring, worker, 1);
	if (at >= 0) {
		buffer[at] = 7;
		ringbuf_produce(ring, worker);
	}
	return 0;
}

static void *take(void *me)
{
	size_t at, length = ringbuf_consume(ring, &at);
	for (size_t i = 0; i < length; i++)
		assert(buffer[at + i] == 7);
	ringbuf_release(ring, length);
	return me;
}

int main(void)
{
	size_t size;
	ringbuf_get_sizes(PRODUCERS, &size, NULL);
	ring = calloc(1, size);
	ringbuf_setup(ring, PRODUCERS, sizeof buffer);
	for (unsigned k = 0; k < PRODUCERS; k++)
		workers[k] = ringbuf_register(ring, k);
#if PRODUCERS == 1
	RUN(put, take);
#else
	RUN(put, put, take);
#endif
}
