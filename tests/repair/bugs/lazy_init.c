// repair: changes=2
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
static struct { int port; } config; static atomic_int ready;
static int get_port(void) {
  int zero = 0;
  if (atomic_load_explicit(&ready, memory_order_relaxed) != 2) {
    if (atomic_compare_exchange_strong_explicit(&ready, &zero, 1, memory_order_relaxed, memory_order_relaxed)) { config.port = 80; atomic_store_explicit(&ready, 2, memory_order_relaxed); }
    else while (atomic_load_explicit(&ready, memory_order_relaxed) != 2) ;
  }
  return config.port;
}
static void *client(void *p) { assert(get_port() == 80); return p; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, client, 0); pthread_create(&b, 0, client, 0); pthread_join(a, 0); pthread_join(b, 0); }
