int main(void) {
  int x;
  __asm__ volatile("" : "=r"(x));
  return x;
}
