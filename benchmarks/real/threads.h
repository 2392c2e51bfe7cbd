/* Two or three threads that run at the same time, and a counter that a lock protects. */
#ifndef REAL_THREADS_H
#define REAL_THREADS_H
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stddef.h>
#include <stdlib.h>

static void run(int count, void *(*const bodies[])(void *))
{
	pthread_t threads[4];
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, bodies[i], (void *)(uintptr_t)i);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}
#define RUN(...)                                                            \
	do {                                                                \
		void *(*const bodies[])(void *) = {__VA_ARGS__};            \
		run((int)(sizeof bodies / sizeof bodies[0]), bodies);       \
	} while (0)
#endif
