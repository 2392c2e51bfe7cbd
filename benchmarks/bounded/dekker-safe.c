#define FENCED 1
#include "dekker-unsafe.c"
