#include <ck_barrier.h>

#include "../threads.h"

static ck_barrier_centralized_t barrier = CK_BARRIER_CENTRALIZED_INITIALIZER;
static int arrived[2];

static void *worker(void *number)
{
	ck_barrier_centralized_state_t state = CK_BARRIER_CENTRALIZED_STATE_INITIALIZER;
	uintptr_t me = (uintptr_t)number;
	for (int round = 1; round <= 2; round++) {
		arrived[me] = round;
		ck_barrier_centralized(&barrier, &state, 2);
		assert(arrived[1 - me] == round);
		ck_barrier_centralized(&barrier, &state, 2);
	}
	return NULL;
}

int main(void)
{
	RUN(worker, worker);
	return 0;
}
