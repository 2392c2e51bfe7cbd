// Sets of any number of events: the rows of graphs that outgrow one word. A set has as many words as its highest
// element ever needed, so that a row costs what it holds, not what the largest graph would. Few words stand in the set
// itself; more stand in a block of memory, which copies share until one of them changes: a copy of a graph with
// thousands of events costs no new rows. Sets that share a block belong to one thread.
#pragma once

#include "graph/bits.hpp"

#include <algorithm>
#include <utility>

namespace fencepost {

template <> struct Bits<many> {
  static constexpr unsigned capacity = 1U << 20; // what is asked for at most; memory ends before

  Bits() noexcept : word_(here_) {}
  Bits(const Bits& o) : word_(here_) { assign(o); }
  Bits(Bits&& o) noexcept : word_(here_) { take(o); }
  Bits& operator=(const Bits& o) {
    if (this != &o) assign(o);
    return *this;
  }
  Bits& operator=(Bits&& o) noexcept {
    if (this == &o) return *this;
    leave();
    take(o);
    return *this;
  }
  ~Bits() { leave(); }

  bool test(unsigned i) const {
    FP_ASSERT(i < capacity, "an element should fit the row that is asked");
    return i / 64 < size_ && (word_[i / 64] >> (i % 64) & 1);
  }
  void set(unsigned i) {
    FP_ASSERT(i < capacity, "an element should fit the row that gets it");
    if (test(i)) return;
    grow(i / 64 + 1);
    word_[i / 64] |= 1ULL << (i % 64);
  }
  void reset(unsigned i) {
    FP_ASSERT(i < capacity, "an element should fit the row that loses it");
    if (!test(i)) return;
    unshare();
    word_[i / 64] &= ~(1ULL << (i % 64));
  }
  void clear() {
    if (shared()) leave();
    size_ = 0;
  }

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
    if (shared() && covers(o)) return *this;
    grow(o.size_);
    for (unsigned k = 0; k < o.size_; ++k)
      word_[k] |= o.word_[k];
    return *this;
  }
  Bits& operator&=(const Bits& o) {
    size_ = std::min(size_, o.size_);
    unshare();
    for (unsigned k = 0; k < size_; ++k)
      word_[k] &= o.word_[k];
    return *this;
  }
  Bits& operator-=(const Bits& o) {
    if (!meets(o)) return *this;
    unshare();
    const unsigned n = std::min(size_, o.size_);
    for (unsigned k = 0; k < n; ++k)
      word_[k] &= ~o.word_[k];
    return *this;
  }
  friend Bits operator|(Bits a, const Bits& b) { return std::move(a |= b); }
  friend Bits operator&(Bits a, const Bits& b) { return std::move(a &= b); }
  friend Bits operator-(Bits a, const Bits& b) { return std::move(a -= b); }
  friend bool operator==(const Bits& a, const Bits& b) {
    if (a.word_ == b.word_ && a.size_ == b.size_) return true; // they share them
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

  // Words of a block follow its count of sets.
  bool in_block() const { return word_ != here_; }
  std::uint64_t& sets() const { return word_[-1]; }
  bool shared() const { return in_block() && sets() > 1; }

  // At least so many words, that no other set has; new ones are empty.
  void grow(unsigned size) {
    if (size > room_)
      move_to_block(std::max(size, 2 * room_));
    else
      unshare();
    for (; size_ < size; ++size_)
      word_[size_] = 0;
  }

  bool covers(const Bits& o) const {
    for (unsigned k = 0; k < o.size_; ++k)
      if (o.word_[k] & ~(k < size_ ? word_[k] : 0)) return false;
    return true;
  }

  void unshare() {
    if (shared()) move_to_block(room_);
  }

  // A block of its own, with the old words kept.
  [[gnu::noinline]] void move_to_block(unsigned room) {
    auto* block = new std::uint64_t[room + 1] + 1;
    block[-1] = 1;
    std::copy_n(word_, size_, block);
    leave();
    word_ = block;
    room_ = room;
  }

  // Gives up the block; the words of the set itself hold nothing then.
  void leave() {
    if (!in_block()) return;
    if (--sets() == 0) delete[] (word_ - 1);
    word_ = here_;
    room_ = own;
  }

  void assign(const Bits& o) {
    if (o.in_block()) {
      ++o.sets(); // first: it may be the same block
      leave();
      word_ = o.word_;
      room_ = o.room_;
    } else {
      leave();
      std::copy_n(o.word_, o.size_, word_);
    }
    size_ = o.size_;
  }

  // pre: its words stand in the set.
  void take(Bits& o) noexcept {
    size_ = o.size_;
    if (!o.in_block()) {
      std::copy_n(o.word_, size_, word_);
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
