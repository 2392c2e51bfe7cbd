// repair: fails=race
#include <pthread.h>
#include <stdlib.h>
static int initialised; static int *table;
static void init(void) { if (!initialised) { table = malloc(16); table[0] = 1; initialised = 1; } }
static void *user(void *a) { init(); return (void *)(long)table[0]; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, user, 0); pthread_create(&b, 0, user, 0); pthread_join(a, 0); pthread_join(b, 0); }
