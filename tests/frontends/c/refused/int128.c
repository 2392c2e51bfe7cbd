__int128 wide = 1;
double out;
int main(void) {
  out = (double)wide;
  return 0;
}
