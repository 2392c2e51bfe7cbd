#include <setjmp.h>
#include <stdlib.h>
static jmp_buf here;
static int less(const void *x, const void *y) { longjmp(here, 1); }
int main(void) {
  int a[2] = {2, 1};
  if (!setjmp(here)) qsort(a, 2, sizeof(int), less);
  return 0;
}
