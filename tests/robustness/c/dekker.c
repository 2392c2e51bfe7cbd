// Dekker's entry protocol in C11. Modes are read as release/acquire; -DFENCE adds the SC fences that it needs.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCE
#define SYNC() atomic_thread_fence(memory_order_seq_cst)
#else
#define SYNC() ((void)0)
#endif

atomic_int flag[2];
int critical;

static void *thread(void *arg) {
  int me = *(int *)arg;
  atomic_store_explicit(&flag[me], 1, memory_order_release);
  SYNC();
  if (atomic_load_explicit(&flag[1 - me], memory_order_acquire) == 0) {
    critical = me;
    assert(critical == me);
  }
  return NULL;
}

int main(void) {
  pthread_t t[2];
  int id[2] = {0, 1};
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, thread, &id[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  return 0;
}
