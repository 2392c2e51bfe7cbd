#include <ck_spinlock.h>

#include "../threads.h"

static ck_spinlock_anderson_t lock;
static ck_spinlock_anderson_thread_t slots[4];
static int counter;

static void *worker(void *unused)
{
	ck_spinlock_anderson_thread_t *slot;
	ck_spinlock_anderson_lock(&lock, &slot);
	counter++;
	ck_spinlock_anderson_unlock(&lock, slot);
	return unused;
}

int main(void)
{
	ck_spinlock_anderson_init(&lock, slots, 4);
	RUN(worker, worker, worker);
	assert(counter == 3);
	return 0;
}
