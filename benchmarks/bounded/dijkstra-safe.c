#define FENCED 1
#include "dijkstra-unsafe.c"
