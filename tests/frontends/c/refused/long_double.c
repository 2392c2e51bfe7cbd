#include <stdarg.h>
static long double first(int n, ...) {
  va_list all;
  va_start(all, n);
  long double x = va_arg(all, long double);
  va_end(all);
  return x;
}
int main(void) { return (int)first(1, 1.0L); }
