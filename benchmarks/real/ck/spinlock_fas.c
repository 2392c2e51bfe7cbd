#include <ck_spinlock.h>

#include "../threads.h"

static ck_spinlock_fas_t lock = CK_SPINLOCK_FAS_INITIALIZER;
static int counter;

static void *worker(void *unused)
{
	ck_spinlock_fas_lock(&lock);
	counter++;
	ck_spinlock_fas_unlock(&lock);
	return unused;
}

int main(void)
{
	RUN(worker, worker, worker);
	assert(counter == 3);
	return 0;
}
