// repair: fails=assertion
#include <condition_variable>
#include <mutex>
#include <thread>
#include <deque>
#include <cassert>
std::mutex m; std::condition_variable cv; int slots[2], count;
int take() { std::unique_lock<std::mutex> l(m); if (count == 0) cv.wait(l); assert(count > 0); return slots[--count]; }
void put(int v) { std::lock_guard<std::mutex> l(m); slots[count++] = v; cv.notify_all(); }
int main() { std::thread a([]{ take(); }), b([]{ take(); }); put(1); put(2); a.join(); b.join(); }
