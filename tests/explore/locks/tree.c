// A search tree under one mutex: A threads add (each its own key), R threads look for the root. As many classes as there
// are trees: where a key stands tells who came before it, and of two keys on different sides neither came first.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct node { int key; struct node *side[2]; };
static struct node root = {1000, {0, 0}};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *reader(void *p) {
  pthread_mutex_lock(&m);
  assert(root.key > (int)(long)p);
  pthread_mutex_unlock(&m);
  return 0;
}
void *writer(void *p) {
  int key = (int)(long)p;
  struct node *fresh = calloc(1, sizeof *fresh), **at = &root.side[0];
  fresh->key = key;
  pthread_mutex_lock(&m);
  while (*at) at = &(*at)->side[(*at)->key < key];
  *at = fresh;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t[R + A];
  for (long i = 0; i < R + A; i++) pthread_create(&t[i], 0, i < R ? reader : writer, (void *)(i + 1));
  for (int i = 0; i < R + A; i++) pthread_join(t[i], 0);
  return 0;
}
