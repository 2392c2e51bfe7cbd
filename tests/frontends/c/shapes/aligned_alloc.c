#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  assert(!aligned_alloc(3, 8));
  assert(!aligned_alloc(0, 8));
  for (size_t align = 1; align <= 256; align++) {
    char *p = aligned_alloc(align, 8);
    assert(!p == ((align & (align - 1)) != 0));
    assert((uintptr_t)p % align == 0);
    free(p);
  }
  void *q = 0;
  assert(posix_memalign(&q, 24, 8) == 22 && !q);
  assert(posix_memalign(&q, 4, 8) == 22 && !q);
  assert(posix_memalign(&q, 64, 8) == 0 && (uintptr_t)q % 64 == 0);
  free(q);
}
