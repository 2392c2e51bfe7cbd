// A test framework in fifty lines: TEST defines a test, CHECK and CHECK_EQ say what should hold, main runs them all.
#pragma once

#include <cstdio>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace fencepost::tests {

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test>& all_tests() {
  static std::vector<Test> tests;
  return tests;
}

inline int& failures() {
  static int count = 0;
  return count;
}

struct Registration {
  Registration(const char* name, void (*run)()) { all_tests().push_back({name, run}); }
};

inline void fail(const char* file, int line, const std::string& what) {
  ++failures();
  std::printf("%s:%d: %s\n", file, line, what.c_str());
}

template <class A, class B>
void check_equal(const A& found, const B& expected, const char* what, const char* file, int line) {
  if (found == expected) return;
  std::ostringstream text;
  text << what << " is " << found << " and should be " << expected;
  fail(file, line, text.str());
}

} // namespace fencepost::tests

#define TEST(name)                                                                                                     \
  static void name();                                                                                                  \
  static const ::fencepost::tests::Registration registration_##name(#name, name);                                      \
  static void name()

#define CHECK(condition)                                                                                               \
  ((condition) ? void() : ::fencepost::tests::fail(__FILE__, __LINE__, "should hold: " #condition))

#define CHECK_EQ(found, expected) ::fencepost::tests::check_equal((found), (expected), #found, __FILE__, __LINE__)

#define CHECK_THROWS(expression, kind)                                                                                 \
  do {                                                                                                                 \
    try {                                                                                                              \
      (void)(expression);                                                                                              \
      ::fencepost::tests::fail(__FILE__, __LINE__, "should throw " #kind ": " #expression);                            \
    } catch (const kind&) {                                                                                            \
    }                                                                                                                  \
  } while (false)
