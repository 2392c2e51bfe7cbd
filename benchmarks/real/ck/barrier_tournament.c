#include <ck_barrier.h>

#include "../threads.h"

static ck_barrier_tournament_t barrier;
static ck_barrier_tournament_round_t rounds[2][2];
static ck_barrier_tournament_round_t *rows[2];
static int arrived[2];

static void *worker(void *number)
{
	ck_barrier_tournament_state_t state;
	(void)number;
	ck_barrier_tournament_subscribe(&barrier, &state);
	arrived[state.vpid] = 1;
	ck_barrier_tournament(&barrier, &state);
	assert(arrived[1 - state.vpid] == 1);
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 2; i++)
		rows[i] = rounds[i];
	ck_barrier_tournament_init(&barrier, rows, 2);
	RUN(worker, worker);
	return 0;
}
