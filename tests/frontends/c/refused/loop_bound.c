#include <fencepost.h>
int main(void) {
  int n = 0;
  fencepost_loop_bound(2);
  while (n < 5) n++;
  return n;
}
