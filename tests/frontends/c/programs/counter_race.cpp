#include <thread>
int counter;
int main() {
  std::thread a([] { counter++; });
  counter++;
  a.join();
}
