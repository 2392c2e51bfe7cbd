/* One thread adds, another looks up: what is found is what was added. */
#include "flavour.h"
#include <urcu/rculfhash.h>

#include <dirent.h>
#include <errno.h>

/* The machine has no /sys: the library then asks sysconf how many processors there are. */
int open(const char *path, int flags, ...) { (void)path, (void)flags; errno = ENOENT; return -1; }
DIR *opendir(const char *path) { (void)path; errno = ENOENT; return NULL; }

static struct cds_lfht *table;
static struct node {
	struct cds_lfht_node link;
	int key, value;
} fresh;

static int match(struct cds_lfht_node *node, const void *key)
{
	return caa_container_of(node, struct node, link)->key == *(const int *)key;
}

static void *adder(void *unused)
{
	rcu_register_thread();
	rcu_read_lock();
	fresh.key = 7;
	fresh.value = 42;
	cds_lfht_node_init(&fresh.link);
	cds_lfht_add(table, 7, &fresh.link);
	rcu_read_unlock();
	rcu_unregister_thread();
	return unused;
}

static void *looker(void *unused)
{
	struct cds_lfht_iter iter;
	struct cds_lfht_node *found;
	int key = 7;
	rcu_register_thread();
	rcu_read_lock();
	cds_lfht_lookup(table, 7, match, &key, &iter);
	found = cds_lfht_iter_get_node(&iter);
	if (found != NULL)
		assert(caa_container_of(found, struct node, link)->value == 42);
	rcu_read_unlock();
	rcu_unregister_thread();
	return unused;
}

int main(void)
{
	rcu_register_thread();
	table = cds_lfht_new_flavor(1, 1, 1, 0, &rcu_flavor, NULL);
	rcu_unregister_thread();
	RUN(adder, looker);
	return 0;
}
