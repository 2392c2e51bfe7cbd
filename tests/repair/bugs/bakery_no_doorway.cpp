// repair: fails=race
#include <atomic>
#include <thread>
#include <algorithm>
#include <cassert>
constexpr int N = 2;
std::atomic<int> number[N];
int critical = 0;
void lock(int i) {
  int mx = 0;
  for (int j = 0; j < N; j++) mx = std::max(mx, number[j].load());
  number[i].store(mx + 1);          // forgot `entering`
  for (int j = 0; j < N; j++) {
    if (j == i) continue;
    int nj;
    while ((nj = number[j].load()) != 0 && (nj < number[i].load() || (nj == number[i].load() && j < i)));
  }
}
void unlock(int i) { number[i].store(0); }
void run(int i) { lock(i); critical++; unlock(i); }
int main() { std::thread a(run, 0), b(run, 1); a.join(); b.join(); assert(critical == 2); }
