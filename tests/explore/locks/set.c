// A sorted list under one mutex: A threads add (each its own key), R threads look; -DFRONT: for what stands in front of
// all that is added, so that they never meet one who adds.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct node { int key; struct node *next; };
static struct node tail = {1000, 0}, first = {0, &tail}, head = {-1, &first};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Bool look(int key) {
  pthread_mutex_lock(&m);
  struct node *at = head.next;
  while (at->key < key) at = at->next;
  _Bool found = at->key == key;
  pthread_mutex_unlock(&m);
  return found;
}
static void add(int key) {
  struct node *fresh = malloc(sizeof *fresh);
  pthread_mutex_lock(&m);
  struct node *before = &head;
  while (before->next->key < key) before = before->next;
  fresh->key = key;
  fresh->next = before->next;
  before->next = fresh;
  pthread_mutex_unlock(&m);
}
#ifdef FRONT
void *reader(void *p) { assert(look(0 * (int)(long)p)); return 0; }
#else
void *reader(void *p) { look((int)(long)p); return 0; }
#endif
void *writer(void *p) { add((int)(long)p); return 0; }
int main(void) {
  pthread_t t[R + A];
  for (long i = 0; i < R + A; i++) pthread_create(&t[i], 0, i < R ? reader : writer, (void *)(i + 1));
  for (int i = 0; i < R + A; i++) pthread_join(t[i], 0);
  return 0;
}
