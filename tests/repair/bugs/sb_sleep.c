// repair: changes=4
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
static atomic_int sleeping, work; static int woken; static atomic_int done_look, done_post;
static void *idle(void *p) { atomic_store_explicit(&sleeping, 1, memory_order_release); if (!atomic_load_explicit(&work, memory_order_acquire)) atomic_store(&done_look, 1); return p; }
static void *post(void *p) { atomic_store_explicit(&work, 1, memory_order_release); if (!atomic_load_explicit(&sleeping, memory_order_acquire)) atomic_store(&done_post, 1); return p; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, idle, 0); pthread_create(&b, 0, post, 0); pthread_join(a, 0); pthread_join(b, 0); assert(!(atomic_load(&done_look) && atomic_load(&done_post))); }
