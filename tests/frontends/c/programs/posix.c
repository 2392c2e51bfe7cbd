// POSIX and C11 threads: results, exits, keys, mutex kinds, trying, timed waits, semaphores, spin locks, once.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

static pthread_key_t key;
static _Thread_local int mine = 1;
static pthread_spinlock_t spin;
static sem_t sem;
static atomic_int runs;
static once_flag flag = ONCE_FLAG_INIT;

static void setup(void) { atomic_fetch_add(&runs, 1); }
static int exits(int depth) {
  if (depth == 0) pthread_exit((void *)7);
  return exits(depth - 1);
}
static void *returns(void *arg) {
  pthread_setspecific(key, arg);
  mine++;
  call_once(&flag, setup);
  assert(mine == 2 && pthread_getspecific(key) == arg && !pthread_equal(pthread_self(), 0));
  return (void *)((intptr_t)arg * 2);
}
static void *leaves(void *arg) { return (void *)(intptr_t)exits(3); }
static int c11(void *arg) {
  call_once(&flag, setup);
  return *(int *)arg + 1;
}

static void kinds(void) {
  pthread_mutexattr_t attribute;
  pthread_mutex_t recursive, checking;
  pthread_mutexattr_init(&attribute);
  pthread_mutexattr_settype(&attribute, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attribute);
  assert(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_lock(&recursive) == 0);
  assert(pthread_mutex_trylock(&recursive) == 0);
  for (int k = 0; k < 3; k++) assert(pthread_mutex_unlock(&recursive) == 0);
  pthread_mutexattr_settype(&attribute, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checking, &attribute);
  assert(pthread_mutex_unlock(&checking) == EPERM);
  assert(pthread_mutex_lock(&checking) == 0 && pthread_mutex_lock(&checking) == EDEADLK);
  assert(pthread_mutex_unlock(&checking) == 0);
  pthread_mutex_destroy(&recursive);
  pthread_mutex_destroy(&checking);
  pthread_mutexattr_destroy(&attribute);
}

int main(void) {
  pthread_key_create(&key, NULL);
  pthread_t a, b;
  void *x, *y;
  pthread_create(&a, NULL, returns, (void *)21);
  pthread_create(&b, NULL, leaves, NULL);
  pthread_join(a, &x);
  pthread_join(b, &y);
  assert(x == (void *)42 && y == (void *)7 && mine == 1 && pthread_getspecific(key) == NULL);
  thrd_t t;
  int argument = 4, result;
  assert(thrd_create(&t, c11, &argument) == thrd_success);
  thrd_join(t, &result);
  assert(result == 5 && runs == 1);
  kinds();
  pthread_spin_init(&spin, 0);
  pthread_spin_lock(&spin);
  assert(pthread_spin_trylock(&spin) == EBUSY);
  pthread_spin_unlock(&spin);
  sem_init(&sem, 0, 1);
  sem_wait(&sem);
  assert(sem_trywait(&sem) == -1 && errno == EAGAIN);
  sem_post(&sem);
  int count;
  sem_getvalue(&sem, &count);
  assert(count == 1);
  mtx_t m;
  mtx_init(&m, mtx_plain);
  assert(mtx_lock(&m) == thrd_success && mtx_trylock(&m) == thrd_busy);
  mtx_unlock(&m);
  struct timespec soon = {0, 0};
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  assert(pthread_mutex_timedlock(&mutex, &soon) == ETIMEDOUT);
  pthread_mutex_unlock(&mutex);
  (void)never;
}
