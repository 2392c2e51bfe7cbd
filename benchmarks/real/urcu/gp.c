/* A reader in its section never sees memory that was freed after a grace period. */
#define _LGPL_SOURCE
#define URCU_API_MAP
#ifdef RCU_BP
#include <urcu/urcu-bp.h>
#elif defined(RCU_QSBR)
#include <urcu/urcu-qsbr.h>
#elif defined(RCU_MB)
#include <urcu/urcu-mb.h>
#else
#include <urcu/urcu-memb.h>
#endif

#include "../threads.h"

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
