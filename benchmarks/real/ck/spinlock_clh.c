#include <ck_spinlock.h>

#include "../threads.h"

static ck_spinlock_clh_t *lock;
static ck_spinlock_clh_t nodes[4];
static int counter;

static void *worker(void *number)
{
	ck_spinlock_clh_t *node = &nodes[1 + (uintptr_t)number];
	ck_spinlock_clh_lock(&lock, node);
	counter++;
	ck_spinlock_clh_unlock(&node);
	return NULL;
}

int main(void)
{
	ck_spinlock_clh_init(&lock, &nodes[0]);
	RUN(worker, worker, worker);
	assert(counter == 3);
	return 0;
}
