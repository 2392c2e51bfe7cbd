#include "mcslock/mcslock.h"

#include "../threads.h"

static mcslock_t lock;
static int counter;

static void *worker(void *unused)
{
	mcsnode_t node;
	(void)unused;
	mcslock_acquire(&lock, &node);
	counter++;
	mcslock_release(&lock, &node);
	return NULL;
}

int main(void)
{
	mcslock_init(&lock);
	RUN(worker, worker, worker);
	assert(counter == 3);
	return 0;
}
