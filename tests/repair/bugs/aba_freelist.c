// repair: fails=assertion
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
struct block { struct block *_Atomic next; };
static struct block a, b; static struct block *_Atomic freelist = &a; static atomic_int owners[2];
static struct block *get(void) { struct block *h = atomic_load(&freelist); while (h) { struct block *n = atomic_load(&h->next); if (atomic_compare_exchange_strong(&freelist, &h, n)) return h; } return 0; }
static void put(struct block *x) { struct block *h = atomic_load(&freelist); do atomic_store(&x->next, h); while (!atomic_compare_exchange_strong(&freelist, &h, x)); }
static void own(struct block *x) { if (x) { int n = atomic_fetch_add(&owners[x == &b], 1); assert(n == 0); } }
static void *one(void *p) { own(get()); own(get()); return p; }
static void *two(void *p) { struct block *x = get(), *y = get(); own(y); if (x) put(x); return p; }
int main(void) { atomic_init(&a.next, &b); pthread_t t, u; pthread_create(&t, 0, one, 0); pthread_create(&u, 0, two, 0); pthread_join(t, 0); pthread_join(u, 0); }
