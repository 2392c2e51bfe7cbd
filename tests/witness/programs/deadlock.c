#include <pthread.h>

pthread_mutex_t accounts = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
int balance;

void *transfer(void *_) {
    pthread_mutex_lock(&accounts);
    balance = balance + 10;
    pthread_mutex_lock(&journal);
    pthread_mutex_unlock(&journal);
    pthread_mutex_unlock(&accounts);
    return 0;
}

void *audit(void *_) {
    pthread_mutex_lock(&journal);
    pthread_mutex_lock(&accounts);
    pthread_mutex_unlock(&accounts);
    pthread_mutex_unlock(&journal);
    return 0;
}
