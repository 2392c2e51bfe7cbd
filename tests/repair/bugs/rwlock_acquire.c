// repair: changes=4 warns=1
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
static atomic_int readers, writing;
static int a, b;
static void read_lock(void) {
  for (;;) {
    atomic_fetch_add_explicit(&readers, 1, memory_order_acquire);
    if (!atomic_load_explicit(&writing, memory_order_acquire)) return;
    atomic_fetch_sub_explicit(&readers, 1, memory_order_relaxed);
  }
}
static void read_unlock(void) { atomic_fetch_sub_explicit(&readers, 1, memory_order_release); }
static void write_lock(void) {
  int zero = 0;
  while (!atomic_compare_exchange_strong_explicit(&writing, &zero, 1, memory_order_acquire, memory_order_relaxed)) zero = 0;
  while (atomic_load_explicit(&readers, memory_order_acquire)) ;
}
static void write_unlock(void) { atomic_store_explicit(&writing, 0, memory_order_release); }
static void *reader(void *u) { read_lock(); int x = a, y = b; read_unlock(); assert(x == y); return 0; }
static void *writer(void *u) { write_lock(); a++; b++; write_unlock(); return 0; }
int main(void) {
  pthread_t r, w;
  pthread_create(&r, 0, reader, 0); pthread_create(&w, 0, writer, 0);
  pthread_join(r, 0); pthread_join(w, 0);
}
