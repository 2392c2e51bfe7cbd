// repair: fails=race
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>

int total;
static void *t0(void *u) { total = total + 1; return 0; }
#define t1 t0
int main(void) { pthread_t a, b; pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0); }
