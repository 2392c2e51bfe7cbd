// Double-checked locking: the pointer may be seen before the object it points to.
#include "fences.h"

static atomic_int field;
static atomic_int made;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int get(void) {
  if (!LOAD(made)) {
    pthread_mutex_lock(&lock);
    if (!LOAD(made)) {
      STORE(field, 42);
      FENCE();
      STORE(made, 1);
    }
    pthread_mutex_unlock(&lock);
  }
  FENCE();
  return LOAD(field);
}

static void *user(void *arg) {
  assert(get() == 42);
  return 0;
}

int main(void) { run(user, user); }
