// repair: declares=stop warns=1
#include <pthread.h>
#include <assert.h>
static volatile int stop; static int result;
static void *worker(void *p) { result = 42; stop = 1; return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); while (!stop) ; assert(result == 42); pthread_join(t, 0); }
