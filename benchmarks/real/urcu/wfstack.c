#define _LGPL_SOURCE
#include <urcu/wfstack.h>

#include "../threads.h"

static struct cds_wfs_stack stack;
static struct node {
	struct cds_wfs_node link;
	int value;
} nodes[2];

static void *pusher(void *number)
{
	struct node *mine = &nodes[(uintptr_t)number];
	cds_wfs_node_init(&mine->link);
	mine->value = 42;
	cds_wfs_push(&stack, &mine->link);
	return NULL;
}

static void *popper(void *unused)
{
	struct node *found = (struct node *)cds_wfs_pop_blocking(&stack);
	if (found != NULL)
		assert(found->value == 42);
	return unused;
}

int main(void)
{
	cds_wfs_init(&stack);
	RUN(pusher, pusher, popper);
	return 0;
}
