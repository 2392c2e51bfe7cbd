// repair: changes=2
// A box of letters: many may send, one fetches all of them
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
typedef struct letter { struct letter *next; int text; } letter;
static _Atomic(letter *) newest;
static void post(int text) {
    letter *l = malloc(sizeof *l);
    l->text = text;
    l->next = atomic_load_explicit(&newest, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&newest, &l->next, l, memory_order_relaxed, memory_order_relaxed))
        ;
}
static letter *fetch_all(void) { return atomic_exchange_explicit(&newest, 0, memory_order_relaxed); }
static void *sender(void *a) { post(1); post(2); return 0; }
static void *reader(void *a) {
    for (letter *l = fetch_all(); l; l = l->next)
        assert(l->text == 1 || l->text == 2);
    return 0;
}
int main(void) {
    pthread_t s, r;
    pthread_create(&s, 0, sender, 0);
    pthread_create(&r, 0, reader, 0);
    pthread_join(s, 0);
    pthread_join(r, 0);
}
