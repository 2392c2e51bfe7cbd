// repair: declares=flag,turn
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>

/* Peterson with everything plain. */
int flag[2], turn;
int counter;
static void lock(int me) { flag[me] = 1; turn = 1 - me; while (flag[1 - me] && turn == 1 - me) ; }
static void unlock(int me) { flag[me] = 0; }
static void *t0(void *u) { lock(0); counter++; unlock(0); return 0; }
static void *t1(void *u) { lock(1); counter++; unlock(1); return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0); assert(counter == 2); }
