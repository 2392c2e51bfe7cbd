// repair: fails=liveness
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <assert.h>
static struct { _Atomic uint8_t next; uint8_t pad; atomic_int serving; } lock = { 255, 0, 255 };
static int inside;
static void *enter(void *p) {
  int mine = atomic_fetch_add(&lock.next, 1);
  while (atomic_load(&lock.serving) != mine) ;
  inside++; assert(inside == 1); inside--;
  atomic_fetch_add(&lock.serving, 1);
  return p;
}
int main(void) { pthread_t a, b; pthread_create(&a, 0, enter, 0); pthread_create(&b, 0, enter, 0); pthread_join(a, 0); pthread_join(b, 0); }
