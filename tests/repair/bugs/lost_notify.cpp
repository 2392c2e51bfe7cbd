// repair: fails=deadlock
#include <condition_variable>
#include <mutex>
#include <thread>
std::mutex m; std::condition_variable c; bool ready = false;
int main() {
  std::thread w([] { std::unique_lock<std::mutex> l(m); bool r = ready; l.unlock(); if (!r) { l.lock(); c.wait(l); } });
  std::thread s([] { { std::lock_guard<std::mutex> l(m); ready = true; } c.notify_one(); });
  w.join(); s.join();
}
