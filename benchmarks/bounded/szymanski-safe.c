#define FENCED 1
#include "szymanski-unsafe.c"
