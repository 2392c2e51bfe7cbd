// fencepost: model=rc11 expect=pass executions=4
// fencepost: model=rc11 flags=-DNO_MUTEX expect=fail kind=race line=21
// fencepost: model=rc11 flags=-DORDER_WRONG expect=fail kind=deadlock line=40
// A bounded buffer with semaphores for two producers. ORDER_WRONG takes the mutex before it waits for room.
#include "../check.h"
#include <semaphore.h>
#define PRODUCERS 2
static sem_t room, items;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int buffer, filled;
static void *producer(void *arg) {
#ifdef ORDER_WRONG
  pthread_mutex_lock(&mutex);
  sem_wait(&room);
#else
  sem_wait(&room);
#ifndef NO_MUTEX
  pthread_mutex_lock(&mutex);
#endif
#endif
  buffer = 1 + (int)(intptr_t)arg;
  filled++;
#ifndef NO_MUTEX
  pthread_mutex_unlock(&mutex);
#endif
  sem_post(&items);
  return NULL;
}
int main(void) {
#ifdef NO_MUTEX
  sem_init(&room, 0, 2);
#else
  sem_init(&room, 0, 1);
#endif
  sem_init(&items, 0, 0);
  pthread_t threads[PRODUCERS];
  for (intptr_t k = 0; k < PRODUCERS; k++) pthread_create(&threads[k], NULL, producer, (void *)k);
  for (int k = 0; k < PRODUCERS; k++) {
    sem_wait(&items);
    pthread_mutex_lock(&mutex);
    assert(filled == 1 && (buffer == 1 || buffer == 2));
    filled--;
    pthread_mutex_unlock(&mutex);
    sem_post(&room);
  }
  for (int k = 0; k < PRODUCERS; k++) pthread_join(threads[k], NULL);
}
