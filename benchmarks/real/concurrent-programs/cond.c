#include <unistd.h>

#include "mutex/mutex.h"

#include "mutex/cond.h"

#include "../threads.h"

static mutex_t lock;
static cond_t changed;
static int ready;

static void *waiter(void *unused)
{
	(void)unused;
	mutex_lock(&lock);
	while (!ready)
		cond_wait(&changed, &lock);
	mutex_unlock(&lock);
	return NULL;
}

static void *signaller(void *unused)
{
	(void)unused;
	mutex_lock(&lock);
	ready = 1;
	cond_signal(&changed, &lock);
	mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	mutex_init(&lock, NULL);
	cond_init(&changed);
	RUN(waiter, signaller);
	return 0;
}
