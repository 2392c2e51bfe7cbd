#include <assert.h>
#include <stdatomic.h>

atomic_int hits;

void count(void) {
    int old = atomic_load(&hits);
    atomic_store(&hits, old + 1);
}

void report(void) {
    count();
    assert(atomic_load(&hits) == 2);
}
