// fencepost: model=rc11 expect=deadlock
// fencepost: model=rc11 expect=pass flags=-DFIXED
// A wait on a condition variable that comes after the signal
//
// The flag is looked at without the mutex: the signal may fall between the look and the wait, and nobody is woken.
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
atomic_int done;

void *finisher(void *unused) {
    pthread_mutex_lock(&lock);
    atomic_store(&done, 1);
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, finisher, 0);
#ifdef FIXED
    pthread_mutex_lock(&lock);
    while (!atomic_load(&done))
        pthread_cond_wait(&ready, &lock);
    pthread_mutex_unlock(&lock);
#else
    if (!atomic_load(&done)) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&ready, &lock);
        pthread_mutex_unlock(&lock);
    }
#endif
    pthread_join(thread, 0);
}
