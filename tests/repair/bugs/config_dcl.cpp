// repair: changes=2
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
class Config {
  public:
    int verbosity;
    static Config *get() {
        Config *c = instance.load(std::memory_order_relaxed);
        if (!c) {
            std::lock_guard<std::mutex> hold(guard);
            c = instance.load(std::memory_order_relaxed);
            if (!c) {
                c = new Config;
                c->verbosity = 3;
                instance.store(c, std::memory_order_relaxed);
            }
        }
        return c;
    }
  private:
    static std::atomic<Config *> instance;
    static std::mutex guard;
};
std::atomic<Config *> Config::instance{nullptr};
std::mutex Config::guard;
static void use() { assert(Config::get()->verbosity == 3); }
int main() { std::thread a(use), b(use); a.join(); b.join(); }
