#include <stdatomic.h>
#include <unistd.h>

#include "mutex/mutex.h"

#include "../threads.h"

static mutex_t lock;
static int counter;

static void *worker(void *unused)
{
	(void)unused;
	mutex_lock(&lock);
	counter++;
	mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	mutex_init(&lock, NULL);
	RUN(worker, worker);
	assert(counter == 2);
	return 0;
}
