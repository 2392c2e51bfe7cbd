#include "thread-rcu/rcu.h"

#include "../threads.h"

struct item {
	int value;
};
static struct item __rcu *shared;

static void *reader(void *unused)
{
	(void)unused;
	rcu_init();
	rcu_read_lock();
	struct item *found = rcu_dereference(shared);
	assert(found->value == 1 || found->value == 2);
	rcu_read_unlock();
	return NULL;
}

static void *writer(void *unused)
{
	struct item *fresh = malloc(sizeof *fresh);
	(void)unused;
	fresh->value = 2;
	struct item *old = rcu_assign_pointer(shared, fresh);
	synchronize_rcu();
	free(old);
	return NULL;
}

int main(void)
{
	struct item *first = malloc(sizeof *first);
	first->value = 1;
	rcu_assign_pointer(shared, first);
	RUN(reader, writer);
	return 0;
}
