#define FENCED 1
#include "fib_bench-unsafe.c"
