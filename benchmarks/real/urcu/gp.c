/* A reader in its section never sees memory that was freed after a grace period. */
#include "flavour.h"

static int *shared;

static void *reader(void *unused)
{
	rcu_register_thread();
	rcu_read_lock();
	int *found = rcu_dereference(shared);
	if (found != NULL)
		assert(*found == 42);
	rcu_read_unlock();
	rcu_unregister_thread();
	return unused;
}

static void *writer(void *unused)
{
	int *old = shared;
	rcu_assign_pointer(shared, NULL);
	synchronize_rcu();
	free(old);
	return unused;
}

int main(void)
{
	shared = malloc(sizeof *shared);
	*shared = 42;
	RUN(reader, writer);
	return 0;
}
