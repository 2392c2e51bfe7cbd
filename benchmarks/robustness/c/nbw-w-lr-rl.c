// The non-blocking write protocol (H. Kopetz, J. Reisinger, 1993). A writer that never waits (w); a thread that locks and then
// reads (lr); one that reads and then locks (rl); and the one that holds the lock at first.
#include "threads.h"

#define ROUNDS 2

static atomic_int counter, buffer;
static atomic_bool locked = true;
static int owner;

static void *release(void *arg)
{
  store(&locked, false);
  return NULL;
}

static void *writer(void *arg)
{
  for (int round = 1; round <= ROUNDS; round++) {
    int before = load(&counter);
    store(&counter, before + 1);
    store(&buffer, round);
    store(&counter, before + 2);
  }
  return NULL;
}

static void read_message(void)
{
  int before, message, after;
  do {
    before = load(&counter);
    message = load(&buffer);
    after = load(&counter);
  } while (before != after || before % 2 == 1);
  assert(message == before / 2);
}

static void enter(int me)
{
  while (atomic_exchange_explicit(&locked, true, memory_order_acq_rel))
    ;
  owner = me;
  assert(owner == me);
  store(&locked, false);
}

static void *lr(void *arg)
{
  for (;;) {
    enter(1);
    read_message();
  }
  return NULL;
}

static void *rl(void *arg)
{
  for (;;) {
    read_message();
    enter(2);
  }
  return NULL;
}

int main(void)
{
  void *(*bodies[4])(void *) = {release, writer, lr, rl};
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, bodies[i], NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
}
