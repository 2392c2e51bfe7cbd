#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_int flag, y;
int data;
static void publish(atomic_int *p) { atomic_store_explicit(p, 1, memory_order_relaxed); }
void *writer(void *a) { data = 1; publish(&flag); y = 3; atomic_fetch_add(&y, 1); int e = 0; __atomic_compare_exchange_n((int*)&y, &e, 2, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED); return 0; }
void *reader(void *a) { if (atomic_load_explicit(&flag, memory_order_relaxed)) assert(data == 1); return 0; }
int main() { pthread_t a, b; pthread_create(&a, 0, writer, 0); pthread_create(&b, 0, reader, 0); pthread_join(a, 0); pthread_join(b, 0); }
