#include "../threads.h"

#include <mpscq.h>

static struct mpscq *queue;
static int values[2];

static void *put(void *me)
{
	values[(uintptr_t)me] = 7;
	assert(mpscq_enqueue(queue, &values[(uintptr_t)me]));
	return 0;
}

static void *take(void *me)
{
	int *found = mpscq_dequeue(queue);
	assert(!found || *found == 7);
	return me;
}

int main(void)
{
	queue = mpscq_create(NULL, 2);
	RUN(put, put, take);
	int *one = mpscq_dequeue(queue), *two = mpscq_dequeue(queue);
	assert(one && one != two);
	mpscq_destroy(queue);
}
