// repair: changes=1
#include <threads.h>
#include <stdatomic.h>
#include <assert.h>
typedef struct { atomic_uint next; atomic_uint serving; } ticket_t;
ticket_t tk;
char *msg; int len;
void ticket_lock(ticket_t *t) {
    unsigned my = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&t->serving, memory_order_acquire) != my) thrd_yield();
}
void ticket_unlock(ticket_t *t) {
    atomic_fetch_add_explicit(&t->serving, 1, memory_order_relaxed);
}
int writer(void *a) { ticket_lock(&tk); msg = "hello"; len = 5; ticket_unlock(&tk); return 0; }
int reader(void *a) { ticket_lock(&tk); if (msg) assert(len == 5); ticket_unlock(&tk); return 0; }
int main(void) {
    thrd_t a, b;
    thrd_create(&a, writer, 0); thrd_create(&b, reader, 0);
    thrd_join(a, 0); thrd_join(b, 0);
}
