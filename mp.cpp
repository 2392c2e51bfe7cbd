#include <atomic>
#include <thread>
#include <cassert>
std::atomic<int> flag{0};
int data;
void writer() { data = 1; flag.store(1, std::memory_order_relaxed); }
void reader() { if (flag.load(std::memory_order_relaxed)) assert(data == 1); }
int main() { std::thread a(writer), b(reader); a.join(); b.join(); }
