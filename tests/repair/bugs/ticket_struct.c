// repair: changes=2
#include <pthread.h>
#include <stdatomic.h>
typedef struct { atomic_uint next, serving; } ticket_lock;
static ticket_lock l;
static int shared_counter;
static void lock(ticket_lock *t) {
    unsigned mine = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&t->serving, memory_order_relaxed) != mine) ;
}
static void unlock(ticket_lock *t) {
    unsigned now = atomic_load_explicit(&t->serving, memory_order_relaxed);
    atomic_store_explicit(&t->serving, now + 1, memory_order_relaxed);
}
static void *work(void *a) { lock(&l); shared_counter++; unlock(&l); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0);
    pthread_join(a, 0); pthread_join(b, 0);
    return shared_counter != 2;
}
