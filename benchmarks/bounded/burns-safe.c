#define FENCED 1
#include "burns-unsafe.c"
