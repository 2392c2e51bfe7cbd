// fencepost: model=rc11 expect=pass executions=4
// fencepost: model=tso expect=pass executions=4
// fencepost: model=rc11 flags=-DFIRST=rlx expect=fail kind=race line=38
// fencepost: model=rc11 flags=-DPUBLISH=rlx expect=fail kind=race line=38
// fencepost: model=rc11 flags=-DPLAIN expect=fail kind=race line=27
// Double-checked locking. PLAIN is the version without atomics that everybody wrote first.
#include "../check.h"
#ifndef FIRST
#define FIRST acq
#endif
#ifndef PUBLISH
#define PUBLISH rel
#endif
struct singleton { int value; };
static struct singleton storage;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#ifdef PLAIN
static struct singleton *instance;
#define get() instance
#define set(p) (instance = (p))
#else
static _Atomic(struct singleton *) instance;
#define get() load(&instance, FIRST)
#define set(p) store(&instance, p, PUBLISH)
#endif
static void *thread(void *arg) {
  struct singleton *s = get();
  if (!s) {
    pthread_mutex_lock(&mutex);
    s = get();
    if (!s) {
      storage.value++;
      s = &storage;
      set(s);
    }
    pthread_mutex_unlock(&mutex);
  }
  assert(s->value == 1);
  return NULL;
}
int main(void) { run(thread, 2); }
