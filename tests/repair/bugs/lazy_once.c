// repair: declares=done
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>

/* init flag is plain */
static int done, value;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int get(void) { if (!done) { pthread_mutex_lock(&m); if (!done) { value = 42; done = 1; } pthread_mutex_unlock(&m); } return value; }
static void *t0(void *u) { assert(get() == 42); return 0; }
#define t1 t0
int main(void) { pthread_t a, b; pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0); }
