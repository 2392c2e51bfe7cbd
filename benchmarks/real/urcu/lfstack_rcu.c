/* Two threads push, one pops without a lock, as readers may: what is found is what was pushed. */
#include "flavour.h"
#include <urcu/lfstack.h>

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
	struct cds_lfs_node *found;
	rcu_register_thread();
	rcu_read_lock();
	found = __cds_lfs_pop(&stack);
	rcu_read_unlock();
	rcu_unregister_thread();
	if (found != NULL)
		assert(caa_container_of(found, struct node, link)->value == 42);
	return unused;
}

int main(void)
{
	cds_lfs_init(&stack);
	RUN(pusher, pusher, popper);
	return 0;
}
