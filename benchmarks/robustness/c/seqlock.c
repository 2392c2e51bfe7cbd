// H. Boehm, "Can seqlocks get along with programming language memory models?", 2012: one writer, three readers.
#include "threads.h"

#define ROUNDS 2

static atomic_uint sequence;
static atomic_int data1, data2;

static void *writer(void *arg)
{
  for (int round = 1; round <= ROUNDS; round++) {
    unsigned before = load(&sequence);
    store(&sequence, before + 1);
    store(&data1, round);
    store(&data2, round);
    store(&sequence, before + 2);
  }
  return NULL;
}

static void *reader(void *arg)
{
  for (;;) {
    unsigned before, after;
    int first, second;
    do {
      before = load(&sequence);
      first = load(&data1);
      second = load(&data2);
      after = load(&sequence);
    } while (before != after || before % 2 == 1);
    assert(first == second);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  run_threads(reader, 3);
}
