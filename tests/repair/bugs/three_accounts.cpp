// repair: fails=deadlock
#include <mutex>
#include <thread>
struct Account { std::mutex m; int balance = 100; };
void transfer(Account& from, Account& to, int amount) {
    std::lock_guard<std::mutex> a(from.m);
    std::lock_guard<std::mutex> b(to.m);
    from.balance -= amount; to.balance += amount;
}
Account alice, bob, carol;
int main() {
    std::thread t1([] { transfer(alice, bob, 10); });
    std::thread t2([] { transfer(bob, carol, 20); });
    std::thread t3([] { transfer(carol, alice, 30); });
    t1.join(); t2.join(); t3.join();
}
