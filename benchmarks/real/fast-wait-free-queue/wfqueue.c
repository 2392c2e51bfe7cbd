#include "../threads.h"

#include <wfqueue.h>

static queue_t queue;
static handle_t *handles[2];
static int value;

static void *put(void *me)
{
	value = 7;
	enqueue(&queue, handles[(uintptr_t)me], &value);
	return 0;
}

static void *take(void *me)
{
	int *found = dequeue(&queue, handles[(uintptr_t)me]);
	assert(!found || *found == 7);
	return 0;
}

int main(void)
{
	queue_init(&queue, 2);
	for (int k = 0; k < 2; k++) {
		handles[k] = aligned_alloc(128, sizeof **handles);
		queue_register(&queue, handles[k], k);
	}
	RUN(put, take);
}
