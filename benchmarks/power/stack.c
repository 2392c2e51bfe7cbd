// A stack under a lock; with -DUNSAFE the consumer looks at the stack without asking whether there is something on it.
#include "fences.h"

#define SIZE 4
#ifndef ITEMS
#define ITEMS 3
#endif
static int top, items[SIZE];
static int flag;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void push(int v) {
  assert(top < SIZE);
  items[top++] = v;
}

static int pop(void) {
  assert(top > 0);
  return items[--top];
}

static void *producer(void *arg) {
  for (int k = 0; k < ITEMS; k++) {
    pthread_mutex_lock(&mutex);
    push(k);
    flag = 1;
    pthread_mutex_unlock(&mutex);
  }
  return 0;
}

static void *consumer(void *arg) {
  for (int k = 0; k < ITEMS; k++) {
    pthread_mutex_lock(&mutex);
#ifdef UNSAFE
    if (flag)
#else
    if (top > 0)
#endif
      pop();
    pthread_mutex_unlock(&mutex);
  }
  return 0;
}

int main(void) { run(producer, consumer); }
