// fencepost: model=rc11 expect=pass executions=16
// fencepost: model=rc11 flags=-DREAD_ONLY expect=fail kind=race line=10
// A cache under a pthread read-write lock: look under the read lock, fill under the write lock. READ_ONLY fills it under the
// read lock.
#include "../check.h"
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int cached, filled;
static int get(void) {
  pthread_rwlock_rdlock(&lock);
  int value = cached;
#ifdef READ_ONLY
  if (!value) {
    cached = value = 5;
    filled++;
  }
  pthread_rwlock_unlock(&lock);
#else
  pthread_rwlock_unlock(&lock);
  if (!value) {
    pthread_rwlock_wrlock(&lock);
    if (!cached) {
      cached = 5;
      filled++;
    }
    value = cached;
    pthread_rwlock_unlock(&lock);
  }
#endif
  return value;
}
static void *thread(void *arg) {
  assert(get() == 5);
  return NULL;
}
int main(void) {
  run(thread, 2);
  assert(filled == 1);
}
