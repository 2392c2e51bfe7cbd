#include <stdatomic.h>
struct big { long a[4]; };
_Atomic struct big x;
int main(void) {
  struct big y = atomic_load(&x);
  return (int)y.a[0];
}
