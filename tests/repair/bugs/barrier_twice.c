// repair: fails=liveness
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#define N 2
static atomic_int arrived;
static int cell[N];
static void barrier(void) {
  if (atomic_fetch_add(&arrived, 1) == N - 1)
    atomic_store(&arrived, 0);
  else
    while (atomic_load(&arrived) != 0) ;
}
static void *phase(void *arg) {
  int me = (int)(long)arg;
  cell[me] = 1;
  barrier();
  int other = cell[1 - me];
  barrier();
  cell[me] = other + 1;
  return 0;
}
int main(void) {
  pthread_t t[N];
  for (long i = 0; i < N; i++) pthread_create(&t[i], 0, phase, (void *)i);
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  assert(cell[0] == 2 && cell[1] == 2);
}
