int main(void) {
  int x = 1;
  __asm__ volatile("crc32l %0, %0" : "+r"(x));
  return x;
}
