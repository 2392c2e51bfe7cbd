#include <stdio.h>
int main(void) {
  char text[20];
  sprintf(text, "%a", 4.2);
  return text[0];
}
