#define FENCED 1
#include "pgsql_bnd-unsafe.c"
