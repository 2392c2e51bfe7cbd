// repair: declares=flag
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>

int data, flag;
static void *t0(void *u) { data = 42; flag = 1; return 0; }
static void *t1(void *u) { if (flag) assert(data == 42); return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0); }
