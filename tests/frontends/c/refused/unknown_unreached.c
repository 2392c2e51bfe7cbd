int sensor(void);
int main(int argc, char **argv) {
  if (argc > 5) return sensor();
  return 0;
}
