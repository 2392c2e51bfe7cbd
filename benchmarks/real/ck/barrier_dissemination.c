#include <ck_barrier.h>

#include "../threads.h"

static ck_barrier_dissemination_t barrier[2];
static ck_barrier_dissemination_flag_t flags[2][8];
static ck_barrier_dissemination_flag_t *rows[2];
static int arrived[2];

static void *worker(void *number)
{
	ck_barrier_dissemination_state_t state;
	(void)number;
	ck_barrier_dissemination_subscribe(barrier, &state);
	arrived[state.tid] = 1;
	ck_barrier_dissemination(barrier, &state);
	assert(arrived[1 - state.tid] == 1);
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 2; i++)
		rows[i] = flags[i];
	ck_barrier_dissemination_init(barrier, rows, 2);
	RUN(worker, worker);
	return 0;
}
