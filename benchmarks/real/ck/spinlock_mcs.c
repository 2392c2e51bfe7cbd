#include <ck_spinlock.h>

#include "../threads.h"

static ck_spinlock_mcs_t lock = CK_SPINLOCK_MCS_INITIALIZER;
static int counter;

static void *worker(void *unused)
{
	ck_spinlock_mcs_context_t node;
	ck_spinlock_mcs_lock(&lock, &node);
	counter++;
	ck_spinlock_mcs_unlock(&lock, &node);
	return unused;
}

int main(void)
{
	RUN(worker, worker, worker);
	assert(counter == 3);
	return 0;
}
