int sensor(void);
int main(void) {
  int a = 1;
  return a + sensor();
}
