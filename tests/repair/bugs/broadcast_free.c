// repair: fails=use-after-free
#include <pthread.h>
#include <stdlib.h>
struct job { pthread_mutex_t m; pthread_cond_t c; int done; };
static void *worker(void *arg) { struct job *j = arg; pthread_mutex_lock(&j->m); j->done = 1; pthread_mutex_unlock(&j->m); pthread_cond_signal(&j->c); return 0; }
int main(void) { struct job *j = malloc(sizeof *j); pthread_mutex_init(&j->m, 0); pthread_cond_init(&j->c, 0); j->done = 0; pthread_t t; pthread_create(&t, 0, worker, j);
  pthread_mutex_lock(&j->m); while (!j->done) pthread_cond_wait(&j->c, &j->m); pthread_mutex_unlock(&j->m); free(j); pthread_join(t, 0); }
