#include <stdatomic.h>

atomic_int turn;

void first(void) {
    while (atomic_load(&turn) != 0) { }
    atomic_store(&turn, 2);
}

void second(void) {
    while (atomic_load(&turn) != 1) { }
    atomic_store(&turn, 0);
}
