#define FENCED 1
#include "lamport-unsafe.c"
