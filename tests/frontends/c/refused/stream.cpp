#include <sstream>
int main() {
  int x = 1;
  std::ostringstream o;
  o << x;
}
