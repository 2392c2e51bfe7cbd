// repair: changes=1
// A buffer handed from reader to parser to writer
#include <atomic>
#include <cassert>
#include <thread>
struct Job { int size; int sum; };
static Job job;
static std::atomic<bool> filled{false}, parsed{false};
void reader() { job.size = 3; filled.store(true, std::memory_order_release); }
void parser() { if (filled.load(std::memory_order_relaxed)) parsed.store(true, std::memory_order_release); }
void writer() { if (parsed.load(std::memory_order_acquire)) assert(job.size == 3); }
int main() {
    std::thread a(reader), b(parser), c(writer);
    a.join(); b.join(); c.join();
}
