// repair: declares=stop
#include <thread>
bool stop = false; int work;
int main() {
  std::thread w([] { while (!stop) { } });
  stop = true;
  w.join();
}
