// repair: fails=deadlock
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int x;
static void *t0(void *u) { pthread_rwlock_rdlock(&l); int r = x; pthread_rwlock_wrlock(&l); x = r + 1; pthread_rwlock_unlock(&l); return 0; }
#define t1 t0
int main(void) { pthread_t a, b; pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0); }
