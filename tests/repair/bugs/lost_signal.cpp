// repair: fails=deadlock
#include <condition_variable>
#include <mutex>
#include <thread>
#include <atomic>
std::mutex m; std::condition_variable cv; std::atomic<bool> ready{false};
int main() {
  std::thread t([]{ ready = true; cv.notify_one(); });
  std::unique_lock<std::mutex> l(m);
  while (!ready) cv.wait(l);
  l.unlock(); t.join();
}
