// Containers, strings and value types, whose algorithms are partly in the compiled libraries.
#include <algorithm>
#include <any>
#include <array>
#include <cassert>
#include <deque>
#include <functional>
#include <iomanip>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <typeinfo>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>
namespace umap {
void run() {
  std::unordered_map<int, int> m;
  for (int i = 0; i < 20; i++)
    m[i] = i * i;
  assert(m.size() == 20 && m.at(7) == 49);
  m.erase(7);
  assert(m.find(7) == m.end() && m.count(8));
  std::unordered_set<int> s{1, 2, 3};
  assert(s.count(2));
}
} // namespace umap

namespace umapstr {
void run() {
  std::unordered_map<std::string, int> m;
  m["a"] = 1;
  m["hello world, a longer string than sso"] = 2;
  assert(m["a"] == 1 && m.size() == 2);
}
} // namespace umapstr

namespace deque {
void run() {
  std::deque<int> d;
  for (int i = 0; i < 10; i++) {
    d.push_back(i);
    d.push_front(-i);
  }
  assert(d.front() == -9 && d.back() == 9);
  d.pop_front();
  std::queue<int> q;
  q.push(1);
  q.push(2);
  q.pop();
  assert(q.front() == 2);
  std::stack<int> s;
  s.push(3);
  assert(s.top() == 3);
  std::list<int> l{3, 1, 2};
  l.sort();
  assert(l.front() == 1);
  std::map<int, const char *> m{{1, "a"}, {2, "b"}};
  assert(m.size() == 2);
  std::priority_queue<int> pq;
  pq.push(1);
  pq.push(5);
  assert(pq.top() == 5);
  std::vector<int> v{5, 3, 1};
  std::sort(v.begin(), v.end());
  assert(v[0] == 1);
  std::array<int, 3> a{1, 2, 3};
  assert(std::accumulate(a.begin(), a.end(), 0) == 6);
}
} // namespace deque

namespace string {
void run() {
  std::string s = "hello";
  s += " world and more than fifteen";
  assert(s.size() == 33 - 0 - 0 || s.size() > 5);
  assert(s.find("world") == 6);
  std::string t = s.substr(0, 5);
  assert(t == "hello");
  std::string u = std::to_string(42);
  assert(u == "42");
  std::string_view v = t;
  assert(v.size() == 5);
  assert(t < "world");
  assert(std::stoi("17") == 17);
  t.insert(0, "x");
  t.erase(0, 1);
  t.append(3, 'z');
  assert(t.back() == 'z');
}
} // namespace string

namespace func {
int g(int a, int b) { return a - b; }
struct B {
  virtual ~B() {}
  virtual int f() { return 1; }
};
struct D : B {
  int f() override { return 2; }
};
void run() {
  std::function<int(int)> f = [](int x) { return x + 1; };
  assert(f(1) == 2);
  auto h = std::bind(g, std::placeholders::_2, 1);
  assert(h(0, 5) == 4);
  std::optional<int> o;
  assert(!o);
  o = 3;
  assert(*o == 3 && o.value() == 3 && o.value_or(1) == 3);
  std::variant<int, double> v = 1;
  assert(std::get<int>(v) == 1);
  v = 2.5;
  assert(std::get<double>(v) == 2.5 && std::holds_alternative<double>(v));
  int r = std::visit([](auto x) { return (int)x; }, v);
  assert(r == 2);
  std::unique_ptr<B> p = std::make_unique<D>();
  assert(p->f() == 2);
  std::shared_ptr<B> q = std::make_shared<D>();
  std::weak_ptr<B> w = q;
  assert(w.lock()->f() == 2 && q.use_count() >= 1);
  q.reset();
  assert(w.expired());
  auto t = std::make_tuple(1, 2.0, 'c');
  assert(std::get<0>(t) == 1);
}
} // namespace func

namespace any {
void run() {
  std::any a = 3;
  assert(std::any_cast<int>(a) == 3);
}
} // namespace any

namespace dyncast {
struct A {
  virtual ~A() {}
};
struct B : A {
  int x = 1;
};
struct C : A {};
void run() {
  A *a = new B;
  assert(dynamic_cast<B *>(a) && !dynamic_cast<C *>(a));
  assert(typeid(*a) == typeid(B));
  delete a;
}
} // namespace dyncast

namespace cout {
std::mutex m;
void run() {
  std::thread t([] {
    std::lock_guard<std::mutex> l(m);
    std::cout << "thread " << std::this_thread::get_id() << std::endl;
  });
  {
    std::lock_guard<std::mutex> l(m);
    std::cout << "main " << 1 << ' ' << 2.5 << std::hex << 255 << std::setw(4) << true << "\n" << std::flush;
    std::cerr << std::string("x");
  }
  t.join();
}
} // namespace cout
int main() {
  umap::run();
  umapstr::run();
  deque::run();
  string::run();
  func::run();
  any::run();
  dyncast::run();
  cout::run();
}
