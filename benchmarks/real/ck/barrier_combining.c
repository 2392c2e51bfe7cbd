#include <ck_barrier.h>

#include "../threads.h"

static ck_barrier_combining_t barrier;
static ck_barrier_combining_group_t root, group;
static int arrived[2];

static void *worker(void *number)
{
	ck_barrier_combining_state_t state = CK_BARRIER_COMBINING_STATE_INITIALIZER;
	uintptr_t me = (uintptr_t)number;
	arrived[me] = 1;
	ck_barrier_combining(&barrier, &group, &state);
	assert(arrived[1 - me] == 1);
	return NULL;
}

int main(void)
{
	ck_barrier_combining_init(&barrier, &root);
	ck_barrier_combining_group_init(&barrier, &group, 2);
	RUN(worker, worker);
	return 0;
}
