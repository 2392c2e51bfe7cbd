// repair: fails=use-after-free
#include <memory>
#include <mutex>
#include <thread>
#include <map>
struct Session { int id; int bytes = 0; explicit Session(int i) : id(i) {} };
struct Registry {
    std::mutex m;
    Session *current = nullptr;
    Session *lookup() { std::lock_guard<std::mutex> g(m); return current; }
    void open(int id) { std::lock_guard<std::mutex> g(m); current = new Session(id); }
    void close() { std::lock_guard<std::mutex> g(m); delete current; current = nullptr; }
} reg;
static void count(Session *s, int n) { s->bytes += n; }
static void on_packet(int n) { if (Session *s = reg.lookup()) count(s, n); }
static void on_hangup() { reg.close(); }
int main() {
    reg.open(7);
    std::thread a(on_packet, 100), b(on_hangup);
    a.join();
    b.join();
}
