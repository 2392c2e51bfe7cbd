#define FENCED 1
#include "peterson-unsafe.c"
