// fencepost: model=rc11 flags=-DW=1,-DR=1,-DB=0 expect=pass blocked=0
// A bounded queue for many producers and consumers that packs both indices into one word and lets each wait for the
// others to catch up (after D. Vyukov). W threads write, R threads read, B threads write and then read.
#include <pthread.h>
#include <stdatomic.h>
#define SIZE 2
static atomic_uint both, taken, written; // both: how many were claimed by readers (high half) and by writers
static int slots[SIZE];
static int *write_slot(void) {
  unsigned now = atomic_load_explicit(&both, memory_order_acquire), r, w;
  for (;;) {
    r = now >> 16;
    w = now & 0xFFFF;
    if (w == ((r + SIZE) & 0xFFFF)) return 0;
    if (atomic_compare_exchange_strong_explicit(&both, &now, r << 16 | ((w + 1) & 0xFFFF), memory_order_acq_rel,
                                                memory_order_acquire))
      break;
  }
  while ((atomic_load_explicit(&taken, memory_order_acquire) & 0xFFFF) != r) ;
  return &slots[w % SIZE];
}
static int *read_slot(void) {
  unsigned now = atomic_load_explicit(&both, memory_order_acquire), r, w;
  for (;;) {
    r = now >> 16;
    w = now & 0xFFFF;
    if (w == r) return 0;
    if (atomic_compare_exchange_strong_explicit(&both, &now, (r + 1) << 16 | w, memory_order_acq_rel,
                                                memory_order_acquire))
      break;
  }
  while ((atomic_load_explicit(&written, memory_order_acquire) & 0xFFFF) != w) ;
  return &slots[r % SIZE];
}
static void put(void) {
  int *slot = write_slot();
  if (!slot) return;
  *slot = 1;
  atomic_fetch_add_explicit(&written, 1, memory_order_release);
}
static void get(void) {
  int *slot = read_slot();
  if (!slot) return;
  int seen = *slot;
  atomic_fetch_add_explicit(&taken, 1, memory_order_release);
}
void *writer(void *unused) { put(); return 0; }
void *reader(void *unused) { get(); return 0; }
void *user(void *unused) { put(); get(); return 0; }
int main(void) {
  pthread_t p[W + R + B];
  for (int i = 0; i < W; i++) pthread_create(&p[i], 0, writer, 0);
  for (int i = 0; i < R; i++) pthread_create(&p[W + i], 0, reader, 0);
  for (int i = 0; i < B; i++) pthread_create(&p[W + R + i], 0, user, 0);
  for (int i = 0; i < W + R + B; i++) pthread_join(p[i], 0);
  return 0;
}
