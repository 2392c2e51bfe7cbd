// long double as double, and floating-point numbers as text.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct mixed {
  char c;
  long double d;
  int i;
};
static long double all[3] = {1.5L, -0.0L, 1e10L};

static long double sum(const long double *p, int n) {
  long double total = 0;
  for (int k = 0; k < n; k++) total += p[k];
  return total;
}

int main(void) {
  struct mixed a = {1, 2.25L, 3}, b = a;
  assert(b.d == 2.25L && b.i == 3);
  memcpy(&b, &a, sizeof a);
  assert(b.d * 2 == 4.5L && (int)b.d == 2 && (float)b.d == 2.25f);
  assert(sum(all, 3) == 10000000001.5L);
  assert(fabsl(-b.d) == b.d && sqrtl(6.25L) == 2.5L);
  char text[80];
  int n = snprintf(text, 8, "%08.3f|%-9.2e|%g|%+G|%Lf", 3.14159, 12345.678, 1e-5, 100000.0, a.d);
  assert(n == 41 && !strcmp(text, "0003.14"));
  sprintf(text, "%f %.0f %.0f %.10g %g %g %g", 1.0 / 3, 2.5, 3.5, 0.1, 1e300 * 1e300, -0.0, 1208925819614629174706176.0);
  assert(!strcmp(text, "0.333333 2 4 0.1 inf -0 1.20893e+24"));
  sprintf(text, "[%6.2f] [%-7.1f] [%.3e] [%E] [%#.0f]", 9.995, 0.05, 9999.5, 0.0, 7.0);
  assert(!strcmp(text, "[  9.99] [0.1    ] [1.000e+04] [0.000000E+00] [7.]"));
  return 0;
}
