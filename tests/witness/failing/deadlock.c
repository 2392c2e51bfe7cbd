#include <pthread.h>

pthread_mutex_t accounts = PTHREAD_MUTEX_INITIALIZER, log_file = PTHREAD_MUTEX_INITIALIZER;
int balance, entries;

void *transfer(void *unused) {
    pthread_mutex_lock(&accounts);
    balance += 10;
    pthread_mutex_lock(&log_file);
    entries++;
    pthread_mutex_unlock(&log_file);
    pthread_mutex_unlock(&accounts);
    return 0;
}

void *audit(void *unused) {
    pthread_mutex_lock(&log_file);
    pthread_mutex_lock(&accounts);
    int seen = balance;
    pthread_mutex_unlock(&accounts);
    pthread_mutex_unlock(&log_file);
    return 0;
}

int main(void) {
    pthread_t t, a;
    pthread_create(&t, 0, transfer, 0);
    pthread_create(&a, 0, audit, 0);
    pthread_join(t, 0);
    pthread_join(a, 0);
}
