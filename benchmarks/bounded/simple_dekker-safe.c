#define FENCED 1
#include "simple_dekker-unsafe.c"
