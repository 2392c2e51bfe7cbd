#define _LGPL_SOURCE
#include <urcu/lfstack.h>

#include "../threads.h"

static struct cds_lfs_stack stack;
static struct node {
	struct cds_lfs_node link;
	int value;
} nodes[2];

static void *pusher(void *number)
{
	struct node *mine = &nodes[(uintptr_t)number];
	cds_lfs_node_init(&mine->link);
	mine->value = 42;
	cds_lfs_push(&stack, &mine->link);
	return NULL;
}

static void *popper(void *unused)
{
	struct node *found = (struct node *)cds_lfs_pop_blocking(&stack);
	if (found != NULL)
		assert(found->value == 42);
	return unused;
}

int main(void)
{
	cds_lfs_init(&stack);
	RUN(pusher, pusher, popper);
	return 0;
}
