#include <stdio.h>
int main(void) {
  char text[20];
  sprintf(text, "%d", 42);
  return text[0];
}
