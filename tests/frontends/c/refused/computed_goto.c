int main(int argc, char **argv) {
  void *labels[] = {&&one, &&two};
  goto *labels[argc - 1];
one:
  return 0;
two:
  return 1;
}
