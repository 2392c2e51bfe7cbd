#define PRODUCERS 2
#include "ringbuf.c"
