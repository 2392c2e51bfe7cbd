// fencepost: model=rc11 flags=-DW=1,-DR=1,-DB=0 expect=pass
// The bounded queue for many producers and consumers of CDSChecker's benchmarks (Norris and Demsky, OOPSLA 2013; the
// algorithm is D. Vyukov's), with the clients that it is published with: an element is there to begin with, W threads
// write one, R threads read until the queue is empty, B threads do both.
#include <pthread.h>
#include <stdatomic.h>
#define SIZE 4
static atomic_uint both, taken, written; // both: how many were claimed by readers (high half) and by writers
static atomic_int slots[SIZE];
static atomic_int *write_prepare(void) {
  unsigned now = atomic_load_explicit(&both, memory_order_acquire), r, w;
  for (;;) {
    r = now >> 16 & 0xFFFF;
    w = now & 0xFFFF;
    if (w == ((r + SIZE) & 0xFFFF)) return 0;
    if (atomic_compare_exchange_strong_explicit(&both, &now, r << 16 | ((w + 1) & 0xFFFF), memory_order_acq_rel,
                                                memory_order_acquire))
      break;
  }
  while ((atomic_load_explicit(&taken, memory_order_acquire) & 0xFFFF) != r) ;
  return &slots[w % SIZE];
}
static atomic_int *read_fetch(void) {
  unsigned now = atomic_load_explicit(&both, memory_order_acquire), r, w;
  for (;;) {
    r = now >> 16 & 0xFFFF;
    w = now & 0xFFFF;
    if (w == r) return 0;
    if (atomic_compare_exchange_strong_explicit(&both, &now, now + (1 << 16), memory_order_acq_rel,
                                                memory_order_acquire))
      break;
  }
  while ((atomic_load_explicit(&written, memory_order_acquire) & 0xFFFF) != w) ;
  return &slots[r % SIZE];
}
static void put(int value) {
  atomic_int *slot = write_prepare();
  atomic_store_explicit(slot, value, memory_order_relaxed);
  atomic_fetch_add_explicit(&written, 1, memory_order_release);
}
static void get_all(void) {
  for (atomic_int *slot; (slot = read_fetch()) != 0;) {
    int seen = atomic_load_explicit(slot, memory_order_relaxed);
    atomic_fetch_add_explicit(&taken, 1, memory_order_release);
  }
}
void *writer(void *unused) { put(1); return 0; }
void *reader(void *unused) { get_all(); return 0; }
void *user(void *unused) { put(1); get_all(); return 0; }
int main(void) {
  pthread_t p[W + R + B];
  put(17);
  for (int i = 0; i < W; i++) pthread_create(&p[i], 0, writer, 0);
  for (int i = 0; i < R; i++) pthread_create(&p[W + i], 0, reader, 0);
  for (int i = 0; i < B; i++) pthread_create(&p[W + R + i], 0, user, 0);
  for (int i = 0; i < W + R + B; i++) pthread_join(p[i], 0);
  return 0;
}
