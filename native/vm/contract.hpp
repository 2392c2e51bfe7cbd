// What should hold. A broken contract is a bug of this program, never of the one that is checked. It is thrown, so that
// whoever runs the core can say which input it was, and nothing is ever concluded from a state that should not be.
//
//   FP_REQUIRE   cheap, or seldom reached: checked in every build
//   FP_ASSERT    checked where NDEBUG is not defined: in debug builds and in the laboratory
//
// The text says what should be: FP_ASSERT(e != none, "an event should have a number").
#pragma once

#include <stdexcept>

namespace fencepost {

class BrokenContract : public std::logic_error {
public:
  using std::logic_error::logic_error;
};

// Throws BrokenContract with the text and the place.
[[noreturn]] void broken_contract(const char* should, const char* file, int line);

#ifdef NDEBUG
inline constexpr bool checks_everything = false;
#else
inline constexpr bool checks_everything = true;
#endif

} // namespace fencepost

#define FP_REQUIRE(condition, should)                                                                                  \
  ((condition) ? static_cast<void>(0) : ::fencepost::broken_contract(should, __FILE__, __LINE__))

#ifdef NDEBUG
#define FP_ASSERT(condition, should) static_cast<void>(sizeof((condition) ? 1 : 0))
#else
#define FP_ASSERT(condition, should) FP_REQUIRE(condition, should)
#endif
