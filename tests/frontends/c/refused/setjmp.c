#include <setjmp.h>
jmp_buf here;
int main(void) {
  if (setjmp(here)) return 1;
  longjmp(here, 1);
}
