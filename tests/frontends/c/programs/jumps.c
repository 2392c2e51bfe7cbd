// setjmp and longjmp: through calls, by pointer, in a loop, to an outer call, within one function, with the value 0.
#include <assert.h>
#include <setjmp.h>
#include <stdatomic.h>

static jmp_buf env, outer;
static int count;

static void deep(int n, int value) {
  if (n == 0) longjmp(env, value);
  deep(n - 1, value);
  count++; // never: the jump leaves all calls
}

static void (*by_pointer)(int, int) = deep;

static int loop(void) {
  int seen = 0;
  for (int i = 0; i < 3; i++) {
    switch (setjmp(env)) {
    case 0: by_pointer(1, i); break;
    case 1: seen += 1; break; // of the values 0 and 1
    case 2: seen += 100; break;
    default: assert(0);
    }
  }
  return seen;
}

static int nested(void) {
  if (setjmp(outer) == 0) {
    if (setjmp(env) == 0) longjmp(outer, 5);
    return 0;
  }
  return 1;
}

static void sets_and_returns(void) {
  jmp_buf own;
  assert(setjmp(own) == 0);
}

int main(void) {
  volatile int changed = 0;
  int result = setjmp(env);
  if (result == 0) {
    changed = 1;
    sets_and_returns();
    deep(3, 7);
    assert(0);
  }
  assert(result == 7 && changed == 1 && count == 0);
  assert(loop() == 102);
  assert(nested() == 1);
  return 0;
}
