// repair: fails=liveness
#include <atomic>
#include <thread>
struct RW { std::atomic<int> readers{0}; std::atomic<bool> writer{false};
  void rlock() { readers.fetch_add(1); while (writer.load()) {} }
  void upgrade() { while (writer.exchange(true)) {} while (readers.load() != 1) {} }
  void wunlock() { readers.fetch_sub(1); writer.store(false); } };
RW rw; int cache;
void fill() { rw.rlock(); if (cache == 0) { rw.upgrade(); cache = 1; rw.wunlock(); } else rw.readers--; }
int main() { std::thread a(fill), b(fill); a.join(); b.join(); }
