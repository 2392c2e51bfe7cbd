// repair: fails=deadlock
#include <pthread.h>
#include <stdbool.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t customer = PTHREAD_COND_INITIALIZER;
static int waiting;
static void *barber(void *p) {
  pthread_mutex_lock(&m);
  bool empty = waiting == 0;
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&m);
  if (empty) pthread_cond_wait(&customer, &m);
  waiting--;
  pthread_mutex_unlock(&m);
  return p;
}
static void *client(void *p) {
  pthread_mutex_lock(&m); waiting++; pthread_cond_signal(&customer); pthread_mutex_unlock(&m); return p;
}
int main(void) { pthread_t a, b; pthread_create(&a, 0, barber, 0); pthread_create(&b, 0, client, 0); pthread_join(a, 0); pthread_join(b, 0); }
