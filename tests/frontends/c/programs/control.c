// Loops, switch, recursion, function pointers, variable arguments, goto, ternaries that become phis.
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static int total(int count, ...) {
  va_list args, again;
  va_start(args, count);
  va_copy(again, args);
  int sum = 0;
  for (int i = 0; i < count; i++) sum += va_arg(args, int);
  assert(va_arg(again, int) == 1);
  va_end(again);
  va_end(args);
  return sum;
}

static double mixed(const char *kinds, ...) {
  va_list args;
  va_start(args, kinds);
  double sum = 0;
  for (; *kinds; kinds++) {
    if (*kinds == 'd') sum += va_arg(args, double);
    if (*kinds == 'i') sum += va_arg(args, int);
    if (*kinds == 'l') sum += va_arg(args, long);
  }
  va_end(args);
  return sum;
}

struct large { long a, b, c; };
struct bytes { char text[19]; };
struct __attribute__((aligned(16))) wide { double d[4]; };

static long structs(const char *kinds, ...) {
  va_list args;
  va_start(args, kinds);
  long sum = 0;
  for (; *kinds; kinds++) {
    if (*kinds == 'i') sum += va_arg(args, int);
    if (*kinds == 'l') { struct large s = va_arg(args, struct large); sum += s.a + 10 * s.b + 100 * s.c; }
    if (*kinds == 'b') { struct bytes s = va_arg(args, struct bytes); sum += s.text[0] + s.text[18]; }
    if (*kinds == 'w') { struct wide s = va_arg(args, struct wide); sum += (long)(s.d[0] + s.d[3]); }
  }
  va_end(args);
  return sum;
}

static int twice(int x) { return 2 * x; }
static int next(int x) { return x + 1; }
static int (*const steps[])(int) = {twice, next, twice};
static int apply(int (*f)(int), int x) { return f(x); }

static int days(int month) {
  switch (month) {
    case 2: return 28;
    case 4: case 6: case 9: case 11: return 30;
    default: return 31;
  }
}

static int swap_loop(int n) {
  int a = 1, b = 2;
  while (n-- > 0) { int t = a; a = b; b = t; }
  return 10 * a + b;
}

static int search(int limit) {
  int found = 0;
  for (int i = 0; i < limit; i++) {
    if (i % 2) continue;
    for (int j = 0;; j++) {
      if (j == 3) break;
      if (i == 4 && j == 2) goto out;
      found++;
    }
  }
out:
  return found;
}

int main(int argc, char **argv) {
  assert(argc == 1 && argv[0] != NULL && argv[1] == NULL);
  assert(fib(10) == 55 && total(4, 1, 2, 3, 4) == 10 && mixed("idl", 1, 2.5, 3L) == 6.5);
  struct large large = {1, 2, 3};
  struct bytes bytes = {{4}};
  struct wide wide = {{5, 0, 0, 6}};
  bytes.text[18] = 7;
  assert(structs("ili", 1000, large, 2000) == 3321 && structs("ibil", 1, bytes, 2, large) == 335);
  assert(structs("iwiwbi", 1, wide, 2, wide, bytes, 3) == 39 && large.c == 3);
  int x = 1;
  for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) x = apply(steps[i], x);
  assert(x == 6 && days(2) == 28 && days(9) == 30 && days(1) == 31);
  assert(swap_loop(0) == 12 && swap_loop(3) == 21 && search(10) == 8);
  int v = argc > 5 ? x : argc > 0 ? -x : 0;
  do { v++; } while (v < 0);
  assert(v == 0 && (argc, v) == 0);
  printf("%d %s %c%%\n", x, "text", 'c');
  return 0;
}
