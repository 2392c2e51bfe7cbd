#define _LGPL_SOURCE
#include <urcu/wfcqueue.h>

#include "../threads.h"

static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;
static struct node {
	struct cds_wfcq_node link;
	int value;
} nodes[2];

static void *producer(void *number)
{
	struct node *mine = &nodes[(uintptr_t)number];
	cds_wfcq_node_init(&mine->link);
	mine->value = 42;
	cds_wfcq_enqueue(&head, &tail, &mine->link);
	return NULL;
}

static void *consumer(void *unused)
{
	struct node *found = (struct node *)cds_wfcq_dequeue_blocking(&head, &tail);
	if (found != NULL)
		assert(found->value == 42);
	return unused;
}

int main(void)
{
	cds_wfcq_init(&head, &tail);
	RUN(producer, producer, consumer);
	return 0;
}
