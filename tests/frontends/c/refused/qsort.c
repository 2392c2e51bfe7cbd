#include <stdlib.h>
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
  int x[2] = {2, 1};
  qsort(x, 2, sizeof *x, order);
  return x[0];
}
