// repair: changes=1
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>

/* An object with a reference count; the decrement is relaxed and the last owner frees. */
struct obj { atomic_int refs; int payload; };
static struct obj *o;
static void put(struct obj *p) { if (atomic_fetch_sub_explicit(&p->refs, 1, memory_order_relaxed) == 1) free(p); }
static void *w0(void *u) { (void)o->payload; put(o); return 0; }
int main(void) { o = malloc(sizeof *o); atomic_init(&o->refs, 2); o->payload = 0; pthread_t a, b;
  pthread_create(&a, 0, w0, 0); pthread_create(&b, 0, w0, 0); pthread_join(a, 0); pthread_join(b, 0); }
