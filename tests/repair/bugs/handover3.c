// repair: changes=1
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
static int page; static atomic_bool fetched, parsed;
static void *fetch(void *p) { page = 404; atomic_store_explicit(&fetched, 1, memory_order_release); return p; }
static void *parse(void *p) { if (atomic_load_explicit(&fetched, memory_order_relaxed)) atomic_store_explicit(&parsed, 1, memory_order_release); return p; }
static void *render(void *p) { if (atomic_load_explicit(&parsed, memory_order_acquire)) assert(page == 404); return p; }
int main(void) { pthread_t t[3]; pthread_create(&t[0], 0, fetch, 0); pthread_create(&t[1], 0, parse, 0); pthread_create(&t[2], 0, render, 0); for (int i = 0; i < 3; i++) pthread_join(t[i], 0); }
