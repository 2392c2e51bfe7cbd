// A mutex is made (-DEND: destroyed) while another thread may hold it.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
void *use(void *unused) {
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, use, 0);
#ifdef END
  pthread_mutex_destroy(&m);
#else
  pthread_mutex_init(&m, 0);
#endif
  pthread_join(a, 0);
  return 0;
}
