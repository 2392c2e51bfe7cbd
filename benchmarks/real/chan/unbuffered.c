#include "../threads.h"

#include <chan.h>

static chan_t *channel;
static int value;

static void *put(void *me)
{
	value = 7;
	assert(chan_send(channel, &value) == 0);
	return me;
}

static void *take(void *me)
{
	void *found;
	assert(chan_recv(channel, &found) == 0);
	assert(*(int *)found == 7);
	return me;
}

int main(void)
{
	channel = chan_init(0);
	RUN(put, take);
	chan_dispose(channel);
}
