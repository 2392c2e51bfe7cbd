// One thread uses what another frees, both under one mutex; -DFORGET: the pointer stays. Two more look at other memory, in any order.
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *shared, y[2];
void *use(void *unused) {
  pthread_mutex_lock(&m);
  if (shared) *shared = 2;
  pthread_mutex_unlock(&m);
  return 0;
}
void *drop(void *unused) {
  pthread_mutex_lock(&m);
  free(shared);
#ifndef FORGET
  shared = 0;
#endif
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
  shared = malloc(sizeof *shared);
  pthread_create(&a, 0, use, 0);
  pthread_create(&b, 0, drop, 0);
  pthread_create(&c, 0, look, 0);
  pthread_create(&d, 0, look, (void *)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  pthread_join(d, 0);
  return 0;
}
