int main() {
  throw 1;
}
