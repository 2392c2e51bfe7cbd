#include <ck_ec.h>
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../threads.h"

static int now(const struct ck_ec_ops *ops, struct timespec *out) { (void)ops; return clock_gettime(CLOCK_MONOTONIC, out); }
static void wait32(const struct ck_ec_wait_state *state, const uint32_t *address, uint32_t expected, const struct timespec *deadline)
{
	(void)state;
	syscall(SYS_futex, address, FUTEX_WAIT_BITSET, expected, deadline, NULL, FUTEX_BITSET_MATCH_ANY, 0);
}
static void wake32(const struct ck_ec_ops *ops, const uint32_t *address)
{
	(void)ops;
	syscall(SYS_futex, address, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}
static const struct ck_ec_ops ops = {
    .gettime = now, .wait32 = wait32, .wake32 = wake32, .busy_loop_iter = 1, .initial_wait_ns = 1000, .wait_scale_factor = 1,
};
static const struct ck_ec_mode mode = {.ops = &ops, .single_producer = false};
static struct ck_ec32 event = CK_EC_INITIALIZER;
static int data;

static void *producer(void *unused)
{
	data = 42;
	ck_ec_inc(&event, &mode);
	return unused;
}

static void *consumer(void *unused)
{
	uint32_t seen = ck_ec_value(&event);
	if (seen == 0)
		ck_ec_wait(&event, &mode, seen, NULL);
	assert(data == 42);
	return unused;
}

int main(void)
{
	RUN(producer, consumer);
	return 0;
}
