#include <stdio.h>
int main(void) {
  int x;
  scanf("%d", &x);
  return x;
}
