// fencepost: model=rc11 expect=pass executions=2
// fencepost: model=tso expect=pass executions=2
// fencepost: model=sc expect=pass executions=2
// fencepost: model=rc11 flags=-DREAD_FENCE=rlx expect=fail kind=assertion line=34
// fencepost: model=rc11 flags=-DWRITE_FENCE=rlx expect=fail kind=assertion line=34
// A sequence lock: readers retry when the number changed or is odd.
#include "../check.h"
#ifndef READ_FENCE
#define READ_FENCE acq
#endif
#ifndef WRITE_FENCE
#define WRITE_FENCE rel
#endif
static atomic_uint sequence;
static atomic_int x, y;
static void *thread(void *i) {
  if ((intptr_t)i == 0) {
    unsigned s = load(&sequence, rlx);
    store(&sequence, s + 1, rlx);
    fence(WRITE_FENCE);
    store(&x, 1, rlx);
    store(&y, 1, rlx);
    store(&sequence, s + 2, rel);
  } else {
    unsigned before, after;
    int a, b;
    do {
      while ((before = load(&sequence, acq)) & 1) { }
      a = load(&x, rlx);
      b = load(&y, rlx);
      fence(READ_FENCE);
      after = load(&sequence, rlx);
    } while (before != after);
    assert(a == b);
  }
  return NULL;
}
int main(void) { run(thread, 2); }
