#define FENCED 1
#include "bakery-unsafe.c"
