long double x = 1;
int main(void) {
  x = x + 1;
  return 0;
}
