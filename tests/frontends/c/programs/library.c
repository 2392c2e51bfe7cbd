// The C library: sorting, searching, formatting, numbers, growing blocks, what runs at the end.
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void sorting(void) {
  int a[] = {3, 1, 2, 5, 4}, key = 4;
  qsort(a, 5, sizeof a[0], order);
  for (int i = 0; i < 5; i++) assert(a[i] == i + 1);
  assert(bsearch(&key, a, 5, sizeof a[0], order) == a + 3);
  key = 9;
  assert(!bsearch(&key, a, 5, sizeof a[0], order));
}

static void formatting(void) {
  char b[64];
  int n = snprintf(b, sizeof b, "%d-%s-%03u|%x|%c|%5d|%-4d|%+ld|%%", -5, "ab", 7u, 255, 'z', 42, 7, 123456789L);
  assert(!strcmp(b, "-5-ab-007|ff|z|   42|7   |+123456789|%") && n == (int)strlen(b));
  assert(snprintf(b, 4, "%d", 123456) == 6 && !strcmp(b, "123"));
  assert(snprintf(0, 0, "%s", "abc") == 3);
  assert(sprintf(b, "%.2s%X%o", "xyz", 0xbeef, 8) == 8 && !strcmp(b, "xyBEEF10"));
}

static void strings(void) {
  char s[32] = "hello";
  strncat(s, " world!", 6);
  assert(!strcmp(s, "hello world") && strstr(s, "wor") == s + 6 && !strstr(s, "word"));
  assert(strspn(s, "leh") == 4 && strcspn(s, " ") == 5 && !strcasecmp("ABc", "abC") && strcasecmp("a", "B") < 0);
  char *end;
  assert(strtol(" -0x1f!", &end, 16) == -31 && *end == '!' && strtoul("077", 0, 0) == 63 && strtol("12", 0, 10) == 12);
}

static void numbers(void) {
  volatile double x = 2.0;
  volatile float f = 9;
  assert(fabs(sqrt(x) * sqrt(x) - 2) < 1e-9 && sqrtf(f) == 3 && pow(x, 3) == 8 && fabs(-x) == 2);
  assert(floor(x + .7) == 2 && ceil(x + .1) == 3 && trunc(-x - .5) == -2 && round(x + .5) == 3 && lround(x) == 2);
  assert(fmax(x, 3) == 3 && fmin(x, 1) == 1 && fmod(x + 3.5, x) == 1.5 && fabs(sin(x) - 0.9092974268) < 1e-6);
  assert(exp(x - 2) == 1 && log(x - 1) == 0 && isnan(sqrt(-x)) && isinf(1 / (x - 2)) && !isnan(x));
}

static void growing(void) {
  int count = 0, room = 1, *block = malloc(room * sizeof *block);
  for (int i = 0; i < 3; i++) {
    if (count == room) block = realloc(block, (room *= 2) * sizeof *block);
    block[count++] = i * i;
  }
  assert(block[0] == 0 && block[1] == 1 && block[2] == 4);
  free(block);
  free(realloc(0, 8));
}

static pthread_key_t key;
static int destroyed, ended;
static void destroy(void *p) { destroyed += *(int *)p; free(p); }
static void *use_key(void *arg) {
  int *p = malloc(sizeof *p);
  *p = 7;
  pthread_setspecific(key, p);
  if (arg) pthread_exit(0);
  return 0;
}
static void last(void) { assert(ended == 1); }
static void first(void) { assert(ended++ == 0); }

int main(void) {
  sorting();
  formatting();
  strings();
  numbers();
  growing();
  atexit(last);
  atexit(first);
  pthread_t t;
  pthread_key_create(&key, destroy);
  pthread_create(&t, 0, use_key, 0);
  pthread_join(t, 0);
  pthread_create(&t, 0, use_key, &key);
  pthread_join(t, 0);
  assert(destroyed == 14);
  return 0;
}
