#include <stdio.h>
int main(void) {
  char text[20];
  sprintf(text, "%f", 4.2);
  return text[0];
}
