// Exceptions that are caught: by type, by base, rethrown, across destructors, from the library.
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
namespace exc0 {
struct My {
  int v;
};
struct R {
  int &n;
  R(int &x) : n(x) {}
  ~R() { n++; }
};
int f(int x) {
  if (x > 2)
    throw My{x};
  return x;
}
int g(int x, int &n) {
  R r(n);
  return f(x) + 1;
}
void run() {
  int n = 0;
  try {
    g(5, n);
    assert(0);
  } catch (int) {
    assert(0);
  } catch (My &m) {
    assert(m.v == 5 && n == 1);
  }
  bool c = false;
  try {
    try {
      throw 3;
    } catch (...) {
      throw;
    }
  } catch (int i) {
    c = (i == 3);
  }
  assert(c);
  const char *p = 0;
  try {
    throw "abc";
  } catch (const char *q) {
    p = q;
  }
  assert(p[1] == 'b');
}
} // namespace exc0

namespace exc1 {
void run() {
  int k = 0;
  try {
    throw std::runtime_error("no");
  } catch (const std::exception &e) {
    k = 1;
  }
  assert(k == 1);
}
} // namespace exc1

namespace exc2 {
struct My {
  int v;
};
struct R {
  int &n;
  R(int &x) : n(x) {}
  ~R() { n++; }
};
int f(int x) {
  if (x > 2)
    throw My{x};
  return x;
}
int g(int x, int &n) {
  R r(n);
  return f(x) + 1;
}
void run() {
  int n = 0;
  try {
    g(5, n);
    assert(0);
  } catch (int) {
    assert(0);
  } catch (My &m) {
    assert(m.v == 5 && n == 1);
  }
  std::vector<int> v{1};
  bool c = false;
  try {
    v.at(3);
  } catch (std::out_of_range &e) {
    c = true;
  }
  assert(c);
  c = false;
  try {
    try {
      throw 3;
    } catch (...) {
      throw;
    }
  } catch (int i) {
    c = (i == 3);
  }
  assert(c);
  int q = 0;
  try {
    throw std::string("abc");
  } catch (std::string s) {
    q = s.size();
  }
  assert(q == 3);
}
} // namespace exc2

namespace exc4 {
std::mutex m;
int n;
void w() {
  try {
    std::lock_guard<std::mutex> l(m);
    n++;
    throw 1;
  } catch (int) {
  }
}
void run() {
  std::thread t(w);
  w();
  t.join();
  assert(n == 2);
}
} // namespace exc4
int main() {
  exc0::run();
  exc1::run();
  exc2::run();
  exc4::run();
}
