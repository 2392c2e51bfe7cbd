// fencepost: model=rc11 expect=pass executions=4
// fencepost: model=rc11 flags=-DRELEASE=rlx expect=fail kind=race line=34
// fencepost: model=rc11 flags=-DHALF expect=fail kind=race line=34
// A big-reader lock: one lock per reader; a writer takes all of them. HALF forgets the second.
#include "../check.h"
#ifndef RELEASE
#define RELEASE rel
#endif
#define READERS 2
static atomic_flag locks[READERS];
static void take(int i) { while (atomic_flag_test_and_set_explicit(&locks[i], acq)) { } }
static void drop(int i) { atomic_flag_clear_explicit(&locks[i], RELEASE); }
static void *thread(void *arg) {
  int i = (int)(intptr_t)arg;
  if (i < READERS) {
    take(i);
    int seen = shared;
    assert(seen == 0 || seen == 1);
    drop(i);
  } else {
#ifdef HALF
    int count = READERS - 1;
#else
    int count = READERS;
#endif
    for (int k = 0; k < count; k++) take(k);
    critical_section();
    for (int k = 0; k < count; k++) drop(k);
  }
  return NULL;
}
int main(void) { run(thread, READERS + 1); }
