#include <assert.h>
#include <fencepost/lkmm.h>
#include <pthread.h>
static int x, y, z;
void *first(void *u) { int r = READ_ONCE(x);  WRITE_ONCE(y, 1); z = r; return 0; }
void *second(void *u) { int r = READ_ONCE(y); WRITE_ONCE(x, r); return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(z != 1);
  return 0;
}
