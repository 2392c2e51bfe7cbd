// Readers and writers: the orders of Linux's include/asm-generic/qrwlock.h (queued_read_trylock, queued_write_trylock and
// their unlocks), 6.1.
#include <pthread.h>
#include <stdatomic.h>

enum { LOCKED = 0xff, READER = 0x200 };
static atomic_int count;
static int data;

static int read_trylock(void) {
    if (!(atomic_load_explicit(&count, memory_order_relaxed) & LOCKED)) {
        if (!(atomic_fetch_add_explicit(&count, READER, memory_order_acquire) & LOCKED))
            return 1;
        atomic_fetch_sub_explicit(&count, READER, memory_order_relaxed);
    }
    return 0;
}

static void read_unlock(void) { atomic_fetch_sub_explicit(&count, READER, memory_order_release); }

static int write_trylock(void) {
    int free_ = 0;
    return atomic_load_explicit(&count, memory_order_relaxed) == 0 &&
           atomic_compare_exchange_strong_explicit(&count, &free_, LOCKED, memory_order_acquire, memory_order_relaxed);
}

static void write_unlock(void) { atomic_fetch_sub_explicit(&count, LOCKED, memory_order_release); }

static void *writer(void *_) {
    if (write_trylock()) {
        data++;
        write_unlock();
    }
    return 0;
}

static void *reader(void *_) {
    if (read_trylock()) {
        (void)*(volatile int *)&data;
        read_unlock();
    }
    return 0;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], 0, writer, 0);
    pthread_create(&t[1], 0, reader, 0);
    pthread_create(&t[2], 0, writer, 0);
}
