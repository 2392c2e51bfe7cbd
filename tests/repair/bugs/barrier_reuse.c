// repair: fails=liveness
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
static atomic_int arrived; static int data[2];
static void barrier(void) { if (atomic_fetch_add(&arrived, 1) == 1) atomic_store(&arrived, 0); else while (atomic_load(&arrived) != 0) ; }
static void phase(int me) { data[me] = 1; barrier(); int seen = data[1 - me]; assert(seen == 1); barrier(); data[me] = 2; }
static void *zero(void *p) { phase(0); return p; }
static void *one(void *p) { phase(1); return p; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, zero, 0); pthread_create(&b, 0, one, 0); pthread_join(a, 0); pthread_join(b, 0); }
