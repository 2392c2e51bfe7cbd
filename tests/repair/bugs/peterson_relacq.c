// repair: changes=3
// Peterson with release and acquire only
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int interested[2], victim;
static int balance = 100;
static void enter(int me) {
    atomic_store_explicit(&interested[me], 1, memory_order_release);
    atomic_store_explicit(&victim, me, memory_order_release);
    while (atomic_load_explicit(&interested[1 - me], memory_order_acquire) &&
           atomic_load_explicit(&victim, memory_order_acquire) == me)
        ;
}
static void leave(int me) { atomic_store_explicit(&interested[me], 0, memory_order_release); }
static void *deposit(void *a) { enter(0); balance += 10; leave(0); return 0; }
static void *withdraw(void *a) { enter(1); balance -= 10; leave(1); return 0; }
int main(void) {
    pthread_t d, w;
    pthread_create(&d, 0, deposit, 0);
    pthread_create(&w, 0, withdraw, 0);
    pthread_join(d, 0); pthread_join(w, 0);
    assert(balance == 100);
}
