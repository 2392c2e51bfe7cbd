// repair: changes=2
#include <stdatomic.h>
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
static int *_Atomic table;
static int *get_table(void) {
    int *t = atomic_load_explicit(&table, memory_order_relaxed);
    if (!t) {
        t = malloc(4 * sizeof *t);
        for (int i = 0; i < 4; i++) t[i] = i * i;
        int *expected = NULL;
        if (!atomic_compare_exchange_strong_explicit(&table, &expected, t, memory_order_relaxed, memory_order_relaxed)) {
            free(t);
            t = expected;
        }
    }
    return t;
}
static void *user(void *a) { assert(get_table()[3] == 9); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, user, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
