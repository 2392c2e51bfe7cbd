// The less used part of <string.h>.
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char text[] = " one, two", *rest = text;
  assert(!strcmp(strtok(text, " ,"), "one") && !strcmp(strtok(0, " ,"), "two") && !strtok(0, " ,"));
  char other[] = "a:b", *at = other;
  assert(!strcmp(strsep(&at, ":"), "a") && !strcmp(strsep(&at, ":"), "b") && !strsep(&at, ":"));
  assert(*strpbrk("hello", "xol") == 'l' && !strpbrk("hello", "x"));
  assert(stpcpy(other, "xy") == other + 2 && memrchr("abca", 'a', 4) != 0);
  assert(div(-7, 2).quot == -3 && div(-7, 2).rem == -1);
  (void)rest;
}
