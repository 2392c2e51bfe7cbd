#include <stdatomic.h>
struct big { int a[7]; };
_Atomic struct big x;
int main(void) {
  struct big y = atomic_load(&x);
  return y.a[0];
}
