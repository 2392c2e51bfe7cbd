// repair: fails=assertion
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#include <stdint.h>
/* 64-bit counter of two halves under a sequence counter; reader forgets to test for odd */
static atomic_uint seq; static _Atomic uint32_t hi, lo;
static void *writer(void *a) {
  atomic_fetch_add(&seq, 1);
  atomic_store(&lo, 0xffffffffu); atomic_store(&hi, 1);
  atomic_fetch_add(&seq, 1);
  return 0;
}
static void *reader(void *a) {
  unsigned s; uint64_t v;
  do { s = atomic_load(&seq); v = (uint64_t)atomic_load(&hi) << 32; v |= atomic_load(&lo); } while (s != atomic_load(&seq));
  assert(v == 0 || v == 0x1ffffffffull);
  return 0;
}
int main(void) { pthread_t a, b; pthread_create(&a, 0, writer, 0); pthread_create(&b, 0, reader, 0); pthread_join(a, 0); pthread_join(b, 0); }
