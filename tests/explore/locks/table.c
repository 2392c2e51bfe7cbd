// A table under one mutex: each thread puts a key of its own into a bucket; keys share buckets in pairs.
#include <pthread.h>
static int bucket[N], count[N];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *put(void *p) {
  int at = (int)(long)p / 2;
  pthread_mutex_lock(&m);
  bucket[at] = 10 * bucket[at] + (int)(long)p;
  count[at]++;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t[N];
  for (long i = 0; i < N; i++) pthread_create(&t[i], 0, put, (void *)i);
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  return 0;
}
