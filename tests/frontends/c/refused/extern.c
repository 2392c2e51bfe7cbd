extern int missing;
int main(void) {
  return missing;
}
