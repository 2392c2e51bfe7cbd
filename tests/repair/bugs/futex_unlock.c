// repair: fails=deadlock
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <linux/futex.h>
#include <stddef.h>
// mutex: 0 free, 1 locked, 2 contended ; bug: unlock stores 0 only wakes if load said 2 before
static atomic_int f; static int data;
static void lock(void) {
    int c = 0;
    if (atomic_compare_exchange_strong(&f, &c, 1)) return;
    do {
        if (c == 2 || atomic_compare_exchange_strong(&f, &(int){1}, 2))
            syscall(SYS_futex, &f, FUTEX_WAIT, 2, NULL, NULL, 0);
        c = 0;
    } while (!atomic_compare_exchange_strong(&f, &c, 2));
}
static void unlock(void) {
    int was = atomic_load(&f);
    atomic_store(&f, 0);
    if (was == 2) syscall(SYS_futex, &f, FUTEX_WAKE, 1, NULL, NULL, 0);
}
static void *w(void *a) { lock(); data++; unlock(); return 0; }
int main(void) { pthread_t a, b; pthread_create(&a,0,w,0); pthread_create(&b,0,w,0); pthread_join(a,0); pthread_join(b,0); }
