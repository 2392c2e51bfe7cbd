#define main unused_main
#include "refcnt/main.c"
#undef main

#include "../threads.h"

static char *text;

static void *worker(void *unused)
{
	(void)unused;
	assert(text[0] == 'h');
	refcnt_unref(text);
	return NULL;
}

int main(void)
{
	text = refcnt_strdup("hello");
	refcnt_ref(text);
	RUN(worker, worker);
	return 0;
}
