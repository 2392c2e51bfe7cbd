#include "tests/check.hpp"

#include <exception>

int main() {
  using namespace fencepost::tests;
  int failed = 0;
  for (const auto& test : all_tests()) {
    const int before = failures();
    try {
      test.run();
    } catch (const std::exception& error) {
      fail(test.name, 0, error.what());
    }
    if (failures() != before) {
      ++failed;
      std::printf("FAILED %s\n", test.name);
    }
  }
  std::printf("core: %d passed, %d failed\n", static_cast<int>(all_tests().size()) - failed, failed);
  return failed != 0;
}
