// fencepost: model=rc11 expect=pass executions=2
// fencepost: model=rc11 flags=-DBY_HAND expect=fail kind=race line=15
// pthread_once, and a version by hand with a relaxed flag.
#include "../check.h"
static pthread_once_t control = PTHREAD_ONCE_INIT;
static int value;
static atomic_int begun;
static void initialise(void) { value = 42; }
static void *thread(void *arg) {
#ifdef BY_HAND
  if (!xchg(&begun, 1, rlx)) initialise();
#else
  pthread_once(&control, initialise);
#endif
  assert(value == 42);
  return NULL;
}
int main(void) { run(thread, 2); }
