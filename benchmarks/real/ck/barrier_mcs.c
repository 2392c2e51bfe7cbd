#include <ck_barrier.h>

#include "../threads.h"

static ck_barrier_mcs_t barrier[2];
static int arrived[2];

static void *worker(void *number)
{
	ck_barrier_mcs_state_t state;
	(void)number;
	ck_barrier_mcs_subscribe(barrier, &state);
	arrived[state.vpid] = 1;
	ck_barrier_mcs(barrier, &state);
	assert(arrived[1 - state.vpid] == 1);
	return NULL;
}

int main(void)
{
	ck_barrier_mcs_init(barrier, 2);
	RUN(worker, worker);
	return 0;
}
