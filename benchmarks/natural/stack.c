// The stack of SV-COMP (pthread/stack): one thread pushes SIZE items, the other pops as many, each under a mutex. With
// -DUNSAFE the second one pops where it has seen that there was something at some time.
#include "frame.h"
#ifndef SIZE
#define SIZE 5
#endif
static int items[SIZE], top, flag;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *pusher(void) {
  for (int k = 0; k < SIZE; k++) {
    pthread_mutex_lock(&mutex);
    assert(top < SIZE);
    items[top++] = k;
    flag = 1;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}
static void *popper(void) {
  for (int k = 0; k < SIZE; k++) {
    pthread_mutex_lock(&mutex);
#ifdef UNSAFE
    if (flag) {
#else
    if (top > 0) {
#endif
      assert(top > 0);
      top--;
    }
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}
static void *thread(void *arg) { return arg == NULL ? pusher() : popper(); }
int main(void) { start(2, thread); }
