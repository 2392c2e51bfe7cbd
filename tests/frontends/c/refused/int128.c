__int128 wide = 1;
int main(void) {
  wide = wide * 3;
  return 0;
}
