// The less used part of <string.h>.
#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
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
  int n[8] = {0};
  for (int c = -1; c < 256; c++) {
    n[0] += !!isdigit(c), n[1] += !!isalpha(c), n[2] += !!isspace(c), n[3] += !!ispunct(c);
    n[4] += !!isprint(c), n[5] += !!iscntrl(c), n[6] += !!isxdigit(c), n[7] += tolower(c) != toupper(c);
  }
  assert(n[0] == 10 && n[1] == 52 && n[2] == 6 && n[3] == 32 && n[4] == 95 && n[5] == 33 && n[6] == 22 && n[7] == 52);
  (void)rest;
}
