// repair: fails=assertion
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
static atomic_uint lo, hi;
static void *tick(void *p) { atomic_store(&hi, 1); atomic_store(&lo, 0); return p; }
static void *now(void *p) { unsigned h = atomic_load(&hi), l = atomic_load(&lo); assert(!(h == 0 && l == 0) ); return p; }
int main(void) { atomic_init(&lo, 0xffffffffu); pthread_t a, b; pthread_create(&a, 0, tick, 0); pthread_create(&b, 0, now, 0); pthread_join(a, 0); pthread_join(b, 0); }
