#define FENCED 1
#include "pgsql-unsafe.c"
