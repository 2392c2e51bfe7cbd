// The less used part of <string.h>.
typedef unsigned long size_t;
#define NAMED(name) __asm__(name)

static int among(char c, const char *set) {
  while (*set)
    if (*set++ == c) return 1;
  return 0;
}

char *find_any(const char *s, const char *set) NAMED("strpbrk");
char *find_any(const char *s, const char *set) {
  while (*s && !among(*s, set)) s++;
  return *s ? (char *)s : 0;
}

char *token_in(char *s, const char *set, char **rest) NAMED("strtok_r");
char *token_in(char *s, const char *set, char **rest) {
  if (!s) s = *rest;
  while (s && *s && among(*s, set)) s++;
  if (!s || !*s) {
    *rest = 0;
    return 0;
  }
  char *end = s;
  while (*end && !among(*end, set)) end++;
  *rest = *end ? end + 1 : 0;
  *end = 0;
  return s;
}

// Its memory is shared by all threads, as the standard says: two threads that use it race.
static char *rest;
char *token(char *s, const char *set) NAMED("strtok");
char *token(char *s, const char *set) { return token_in(s, set, &rest); }

char *separate(char **s, const char *set) NAMED("strsep");
char *separate(char **s, const char *set) {
  char *start = *s, *end = start;
  if (!start) return 0;
  while (*end && !among(*end, set)) end++;
  *s = *end ? end + 1 : 0;
  *end = 0;
  return start;
}

char *copy_to_end(char *to, const char *from) NAMED("stpcpy");
char *copy_to_end(char *to, const char *from) {
  while ((*to = *from++)) to++;
  return to;
}

size_t copy_within(char *to, const char *from, size_t size) NAMED("strlcpy");
size_t copy_within(char *to, const char *from, size_t size) {
  size_t n = 0;
  for (; from[n]; n++)
    if (n + 1 < size) to[n] = from[n];
  if (size) to[n < size ? n : size - 1] = 0;
  return n;
}

void *find_last(const void *block, int c, size_t n) NAMED("memrchr");
void *find_last(const void *block, int c, size_t n) {
  const unsigned char *p = block;
  while (n--)
    if (p[n] == (unsigned char)c) return (void *)(p + n);
  return 0;
}

struct fencepost_division { int quotient, rest; };
struct fencepost_division divide(int x, int y) NAMED("div");
struct fencepost_division divide(int x, int y) {
  struct fencepost_division found = {x / y, x % y};
  return found;
}
