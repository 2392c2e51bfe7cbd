// The lost wakeup of JDK-6822370: HotSpot's Parker::park() had no fence on its fast path, and threads hung on x86.
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready;
atomic_int permit = 1; // left over from an earlier unpark
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static int load(atomic_int *a) { return atomic_load_explicit(a, memory_order_relaxed); }
static void store(atomic_int *a, int v) { atomic_store_explicit(a, v, memory_order_relaxed); }

void park(void) {
  if (load(&permit)) {
    store(&permit, 0);
#ifdef FIXED
    atomic_thread_fence(memory_order_seq_cst);
#endif
    return;
  }
  pthread_mutex_lock(&mutex);
  while (!load(&permit)) pthread_cond_wait(&changed, &mutex);
  store(&permit, 0);
  pthread_mutex_unlock(&mutex);
}

void unpark(void) {
  pthread_mutex_lock(&mutex);
  int had = load(&permit);
  store(&permit, 1);
  pthread_mutex_unlock(&mutex);
  if (!had) pthread_cond_signal(&changed);
}

void *consumer(void *unused) {
  while (!load(&ready)) park();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, consumer, NULL);
  store(&ready, 1);
  unpark();
  pthread_join(thread, NULL);
}
