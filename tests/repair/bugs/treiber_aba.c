// repair: fails=race
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>

struct node { struct node *next; int v; };
static struct node n1, n2; static _Atomic(struct node *) top; 
static struct node *pop(void) { struct node *t, *n; do { t = atomic_load(&top); if (!t) return 0; n = *(struct node *volatile *)&t->next; } while (!atomic_compare_exchange_strong(&top, &t, n)); return t; }
static struct node *pop2(void) { struct node *t = atomic_load(&top); if (!t) return 0; struct node *n = t->next; return atomic_compare_exchange_strong(&top, &t, n) ? t : 0; }
static void push(struct node *n) { n->next = atomic_load(&top); struct node *e = n->next; atomic_compare_exchange_strong(&top, &e, n); }
static atomic_int owned2;
static void *t0(void *u) { pop2(); return 0; }
static void *t1(void *u) { struct node *a = pop2(); struct node *b = pop2(); if (b == &n2) atomic_store(&owned2, 1); if (a) push(a); return 0; }
int main(void) { n2.next = 0; n1.next = &n2; atomic_init(&top, &n1); pthread_t a, b; pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0);
 assert(!(atomic_load(&owned2) && atomic_load(&top) == &n2)); }
