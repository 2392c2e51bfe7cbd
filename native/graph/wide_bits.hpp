// Sets of any number of events: the rows of graphs that outgrow one word. A set has as many words as its highest
// element ever needed, so that a row costs what it holds, not what the largest graph would. Few words stand in the set
// itself; more stand in memory of its own, which assigning a set uses again.
#pragma once

#include "graph/bits.hpp"

#include <algorithm>
#include <utility>

namespace fencepost {

template <> struct Bits<many> {
  static constexpr unsigned capacity = 1U << 13;

  Bits() noexcept : word_(here_) {}
  Bits(const Bits& o) : word_(here_) { assign(o); }
  Bits(Bits&& o) noexcept : word_(here_) { take(o); }
  Bits& operator=(const Bits& o) {
    if (this != &o) assign(o);
    return *this;
  }
  Bits& operator=(Bits&& o) noexcept {
    if (this == &o) return *this;
    if (o.owns()) {
      if (owns()) delete[] word_;
      word_ = here_;
    }
    take(o);
    return *this;
  }
  ~Bits() {
    if (owns()) delete[] word_;
  }

  bool test(unsigned i) const {
    FP_ASSERT(i < capacity, "an element should fit the row that is asked");
    return i / 64 < size_ && (word_[i / 64] >> (i % 64) & 1);
  }
  void set(unsigned i) {
    FP_ASSERT(i < capacity, "an element should fit the row that gets it");
    grow(i / 64 + 1);
    word_[i / 64] |= 1ULL << (i % 64);
  }
  void reset(unsigned i) {
    FP_ASSERT(i < capacity, "an element should fit the row that loses it");
    if (i / 64 < size_) word_[i / 64] &= ~(1ULL << (i % 64));
  }
  void clear() { size_ = 0; }

  bool any() const {
    for (unsigned k = 0; k < size_; ++k)
      if (word_[k]) return true;
    return false;
  }
  bool none() const { return !any(); }
  unsigned count() const {
    unsigned n = 0;
    for (unsigned k = 0; k < size_; ++k)
      n += static_cast<unsigned>(std::popcount(word_[k]));
    return n;
  }
  bool meets(const Bits& o) const {
    const unsigned n = std::min(size_, o.size_);
    for (unsigned k = 0; k < n; ++k)
      if (word_[k] & o.word_[k]) return true;
    return false;
  }
  // The lowest element, or `capacity`.
  unsigned first() const {
    for (unsigned k = 0; k < size_; ++k)
      if (word_[k]) return 64 * k + static_cast<unsigned>(std::countr_zero(word_[k]));
    return capacity;
  }
  // The highest element, or `capacity`.
  unsigned last() const {
    for (unsigned k = size_; k-- > 0;)
      if (word_[k]) return 64 * k + 63 - static_cast<unsigned>(std::countl_zero(word_[k]));
    return capacity;
  }
  // Whether some element is i or higher.
  bool reaches(unsigned i) const {
    if (i / 64 >= size_) return false;
    if (word_[i / 64] >> (i % 64)) return true;
    for (unsigned k = i / 64 + 1; k < size_; ++k)
      if (word_[k]) return true;
    return false;
  }
  // The lowest element that is absent, or `capacity`.
  unsigned first_absent() const {
    for (unsigned k = 0; k < size_; ++k)
      if (~word_[k]) return 64 * k + static_cast<unsigned>(std::countr_one(word_[k]));
    return 64 * size_;
  }

  Bits& operator|=(const Bits& o) {
    grow(o.size_);
    for (unsigned k = 0; k < o.size_; ++k)
      word_[k] |= o.word_[k];
    return *this;
  }
  Bits& operator&=(const Bits& o) {
    size_ = std::min(size_, o.size_);
    for (unsigned k = 0; k < size_; ++k)
      word_[k] &= o.word_[k];
    return *this;
  }
  Bits& operator-=(const Bits& o) {
    const unsigned n = std::min(size_, o.size_);
    for (unsigned k = 0; k < n; ++k)
      word_[k] &= ~o.word_[k];
    return *this;
  }
  friend Bits operator|(Bits a, const Bits& b) { return std::move(a |= b); }
  friend Bits operator&(Bits a, const Bits& b) { return std::move(a &= b); }
  friend Bits operator-(Bits a, const Bits& b) { return std::move(a -= b); }
  friend bool operator==(const Bits& a, const Bits& b) {
    const Bits& less = a.size_ < b.size_ ? a : b;
    const Bits& more = a.size_ < b.size_ ? b : a;
    for (unsigned k = 0; k < less.size_; ++k)
      if (less.word_[k] != more.word_[k]) return false;
    for (unsigned k = less.size_; k < more.size_; ++k)
      if (more.word_[k]) return false;
    return true;
  }

  // Calls f(i) for every element, lowest first.
  template <class F> void each(F&& f) const {
    for (unsigned k = 0; k < size_; ++k)
      for (std::uint64_t w = word_[k]; w; w &= w - 1)
        f(64 * k + static_cast<unsigned>(std::countr_zero(w)));
  }
  // Whether some element satisfies f.
  template <class F> bool some(F&& f) const {
    for (unsigned k = 0; k < size_; ++k)
      for (std::uint64_t w = word_[k]; w; w &= w - 1)
        if (f(64 * k + static_cast<unsigned>(std::countr_zero(w)))) return true;
    return false;
  }

private:
  static constexpr unsigned own = 6; // words of its own: with them a set fills a cache line

  bool owns() const { return word_ != here_; }

  // At least so many words; new ones are empty.
  void grow(unsigned size) {
    if (size <= size_) return;
    if (size > room_) enlarge(size);
    for (unsigned k = size_; k < size; ++k)
      word_[k] = 0;
    size_ = size;
  }

  // Room for so many words, with the old ones kept.
  [[gnu::noinline]] void enlarge(unsigned size) {
    const unsigned room = std::max(size, 2 * room_);
    auto* more = new std::uint64_t[room];
    std::copy_n(word_, size_, more);
    if (owns()) delete[] word_;
    word_ = more;
    room_ = room;
  }

  void assign(const Bits& o) {
    if (o.size_ > room_) {
      size_ = 0;
      enlarge(o.size_);
    }
    size_ = o.size_;
    for (unsigned k = 0; k < size_; ++k)
      word_[k] = o.word_[k];
  }

  // pre: its words stand in the set, or those of the other do.
  void take(Bits& o) noexcept {
    size_ = o.size_;
    if (!o.owns()) {
      for (unsigned k = 0; k < size_; ++k)
        word_[k] = o.word_[k];
      return;
    }
    word_ = std::exchange(o.word_, o.here_);
    room_ = std::exchange(o.room_, own);
    o.size_ = 0;
  }

  std::uint64_t* word_;
  std::uint32_t size_ = 0, room_ = own;
  std::uint64_t here_[own];
};

} // namespace fencepost
