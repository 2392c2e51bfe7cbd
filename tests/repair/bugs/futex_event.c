// repair: fails=deadlock
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <linux/futex.h>
#include <stddef.h>
// event: wake before set
static atomic_int ev;
static void *waiter(void *a) { while (atomic_load(&ev) == 0) syscall(SYS_futex, &ev, FUTEX_WAIT, 0, NULL, NULL, 0); return 0; }
static void *setter(void *a) { syscall(SYS_futex, &ev, FUTEX_WAKE, 1, NULL, NULL, 0); atomic_store(&ev, 1); return 0; }
int main(void) { pthread_t a, b; pthread_create(&a,0,waiter,0); pthread_create(&b,0,setter,0); pthread_join(a,0); pthread_join(b,0); }
