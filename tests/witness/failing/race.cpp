#include <atomic>
#include <thread>

struct Config {
    int width;
    int height;
};

Config config;
std::atomic<bool> ready{false};

void configure() {
    config.width = 640;
    config.height = 480;
    ready.store(true, std::memory_order_relaxed);
}

int area = 0;

void measure() {
    if (ready.load(std::memory_order_relaxed))
        area = config.width * config.height;
}

int main() {
    std::thread writer(configure);
    std::thread reader(measure);
    writer.join();
    reader.join();
}
