#define FENCED 1
#include "peterson3-unsafe.c"
