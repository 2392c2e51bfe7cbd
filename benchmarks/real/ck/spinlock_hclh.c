#include <ck_spinlock.h>

#include "../threads.h"

static ck_spinlock_hclh_t *all, *local[2];
static ck_spinlock_hclh_t nodes[3], heads[3];
static int counter;

static void *worker(void *number)
{
	ck_spinlock_hclh_t *node = &nodes[(uintptr_t)number];
	node->cluster_id = 1;
	ck_spinlock_hclh_lock(&all, &local[0], node);
	counter++;
	ck_spinlock_hclh_unlock(&node);
	return NULL;
}

int main(void)
{
	ck_spinlock_hclh_init(&all, &heads[0], 0);
	ck_spinlock_hclh_init(&local[0], &heads[1], 1);
	RUN(worker, worker);
	assert(counter == 2);
	return 0;
}
