#include <assert.h>
#include <pthread.h>
#include <string.h>
static unsigned char message[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static unsigned get(const unsigned char *p) {
  unsigned value;
  memcpy(&value, p, sizeof value);
  return value;
}
static void put(void *p, unsigned long value) { memcpy((char *)p + 1, &value, sizeof value); }
static volatile int count = 2;
static void get_all(int *to, const unsigned char *from, int n) { memcpy(to, from + 1, n * sizeof *to); }
static void *reads(void *p) {
  unsigned short value;
  memmove(&value, (char *)p + 3, sizeof value);
  assert(get((unsigned char *)p + 1) == 0x04030201u && value == 0x0403);
  put(p, 0x1122334455667788ul);
  return 0;
}
int main(void) {
  unsigned char own[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  assert(get(own + 3) == 0x06050403u);
  int all[2];
  get_all(all, message, count);
  assert(all[0] == 0x04030201 && all[1] == 0x08070605);
  pthread_t t;
  pthread_create(&t, 0, reads, message);
  pthread_join(t, 0);
  assert(message[0] == 0 && message[1] == 0x88 && message[8] == 0x11 && message[9] == 9);
}
