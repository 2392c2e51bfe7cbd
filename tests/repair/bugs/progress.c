// repair: declares=progress
// a flag and a result, both plain
#include <pthread.h>
#include <stdio.h>
static int progress;
static void *worker(void *a) { for (int i = 1; i <= 2; i++) progress = i; return 0; }
static void *monitor(void *a) { int seen = progress; return (void *)(long)seen; }
int main(void) {
    pthread_t w, m;
    pthread_create(&w, 0, worker, 0); pthread_create(&m, 0, monitor, 0);
    pthread_join(w, 0); pthread_join(m, 0);
}
