// Sets of up to 64 * W events, as machine words: a row of a bit matrix. Bits<many> is in wide_bits.hpp.
#pragma once

#include "vm/contract.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace fencepost {

// The words of a row: 1, which nearly every program needs; 2; 8; or as many as there have to be. Each costs seconds of
// the build, so there are no more (docs/decisions/widths.md).
inline constexpr unsigned many = 0;

template <unsigned W> struct Bits {
  std::array<std::uint64_t, W> word{};

  static constexpr unsigned capacity = 64 * W;

  bool test(unsigned i) const {
    FP_ASSERT(i < capacity, "an element should fit the row that is asked");
    return word[i / 64] >> (i % 64) & 1;
  }
  void set(unsigned i) {
    FP_ASSERT(i < capacity, "an element should fit the row that gets it");
    word[i / 64] |= 1ULL << (i % 64);
  }
  void reset(unsigned i) {
    FP_ASSERT(i < capacity, "an element should fit the row that loses it");
    word[i / 64] &= ~(1ULL << (i % 64));
  }
  void clear() { word.fill(0); }

  bool any() const {
    std::uint64_t all = 0;
    for (const auto w : word)
      all |= w;
    return all != 0;
  }
  bool none() const { return !any(); }
  unsigned count() const {
    unsigned n = 0;
    for (const auto w : word)
      n += static_cast<unsigned>(std::popcount(w));
    return n;
  }
  bool meets(const Bits& o) const {
    std::uint64_t all = 0;
    for (unsigned k = 0; k < W; ++k)
      all |= word[k] & o.word[k];
    return all != 0;
  }
  // The lowest element, or `capacity`.
  unsigned first() const {
    for (unsigned k = 0; k < W; ++k)
      if (word[k]) return 64 * k + static_cast<unsigned>(std::countr_zero(word[k]));
    return capacity;
  }
  // The highest element, or `capacity`.
  unsigned last() const {
    for (unsigned k = W; k-- > 0;)
      if (word[k]) return 64 * k + 63 - static_cast<unsigned>(std::countl_zero(word[k]));
    return capacity;
  }
  // Whether some element is i or higher.
  bool reaches(unsigned i) const {
    if (i >= capacity) return false;
    if (word[i / 64] >> (i % 64)) return true;
    for (unsigned k = i / 64 + 1; k < W; ++k)
      if (word[k]) return true;
    return false;
  }
  // The lowest element that is absent, or `capacity`.
  unsigned first_absent() const {
    for (unsigned k = 0; k < W; ++k)
      if (~word[k]) return 64 * k + static_cast<unsigned>(std::countr_one(word[k]));
    return capacity;
  }

  Bits& operator|=(const Bits& o) {
    for (unsigned k = 0; k < W; ++k)
      word[k] |= o.word[k];
    return *this;
  }
  Bits& operator&=(const Bits& o) {
    for (unsigned k = 0; k < W; ++k)
      word[k] &= o.word[k];
    return *this;
  }
  Bits& operator-=(const Bits& o) {
    for (unsigned k = 0; k < W; ++k)
      word[k] &= ~o.word[k];
    return *this;
  }
  friend Bits operator|(Bits a, const Bits& b) { return a |= b; }
  friend Bits operator&(Bits a, const Bits& b) { return a &= b; }
  friend Bits operator-(Bits a, const Bits& b) { return a -= b; }
  friend bool operator==(const Bits&, const Bits&) = default;

  // Calls f(i) for every element, lowest first.
  template <class F> void each(F&& f) const {
    for (unsigned k = 0; k < W; ++k)
      for (std::uint64_t w = word[k]; w; w &= w - 1)
        f(64 * k + static_cast<unsigned>(std::countr_zero(w)));
  }
  // Whether some element satisfies f.
  template <class F> bool some(F&& f) const {
    for (unsigned k = 0; k < W; ++k)
      for (std::uint64_t w = word[k]; w; w &= w - 1)
        if (f(64 * k + static_cast<unsigned>(std::countr_zero(w)))) return true;
    return false;
  }
};

} // namespace fencepost
