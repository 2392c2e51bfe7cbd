// fencepost: model=rc11 expect=deadlock
// fencepost: model=rc11 expect=pass flags=-DFIXED
// Two transfers that take the same two locks in different order
//
// Each account has a lock. A transfer there and a transfer back at the same time wait for each other for ever;
// std::scoped_lock takes several locks without that.
#include <cassert>
#include <mutex>
#include <thread>

struct Account {
    std::mutex lock;
    int money = 10;
};

Account ann, bob;

void transfer(Account &from, Account &to, int amount) {
#ifdef FIXED
    Account &first = &from < &to ? from : to, &second = &from < &to ? to : from;
    std::lock_guard<std::mutex> a(first.lock), b(second.lock);
#else
    std::lock_guard<std::mutex> a(from.lock), b(to.lock);
#endif
    from.money -= amount;
    to.money += amount;
}

int main() {
    std::thread there([] { transfer(ann, bob, 3); });
    transfer(bob, ann, 1);
    there.join();
    assert(ann.money + bob.money == 20);
}
