// A mutex as it should be: made before, destroyed after all use it. Two look, in any order.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m;
static int x, y[2];
void *use(void *p) {
  pthread_mutex_lock(&m);
  x += (int)(long)p;
  pthread_mutex_unlock(&m);
  return 0;
}
void *look(void *p) {
  pthread_mutex_lock(&m);
  int seen = y[(long)p];
  pthread_mutex_unlock(&m);
  return (void *)(long)seen;
}
int main(void) {
  pthread_t a, b, c, d;
  pthread_mutex_init(&m, 0);
  pthread_create(&a, 0, use, (void *)1);
  pthread_create(&b, 0, use, (void *)2);
  pthread_create(&c, 0, look, 0);
  pthread_create(&d, 0, look, (void *)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  pthread_join(d, 0);
  pthread_mutex_destroy(&m);
  assert(x == 3);
  return 0;
}
