// Flanagan and Godefroid's file system (POPL 2005): N threads, each takes an inode and then a block of its own.
#include <pthread.h>
#define INODES 32
#define BLOCKS 26
static pthread_mutex_t locki[INODES], lockb[BLOCKS];
static int inode[INODES], busy[BLOCKS];
void *work(void *p) {
  int i = (int)(long)p % INODES;
  pthread_mutex_lock(&locki[i]);
  if (inode[i] == 0) {
    int b = (i * 2) % BLOCKS;
    for (;;) {
      pthread_mutex_lock(&lockb[b]);
      if (!busy[b]) {
        busy[b] = 1;
        inode[i] = b + 1;
        pthread_mutex_unlock(&lockb[b]);
        break;
      }
      pthread_mutex_unlock(&lockb[b]);
      b = (b + 1) % BLOCKS;
    }
  }
  pthread_mutex_unlock(&locki[i]);
  return 0;
}
int main(void) {
  pthread_t t[N];
  for (long i = 0; i < N; i++) pthread_create(&t[i], 0, work, (void *)i);
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  return 0;
}
