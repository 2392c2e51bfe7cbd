// A number for a set of executions: the sum of their hashes. It depends neither on the order in which they were found
// nor on how their events are numbered, so that explorations on one thread, on many and on many machines can be
// compared by more than their counts.
#pragma once

#include <cstdint>

namespace fencepost {

// A number of 128 bits to add to.
struct Digest {
  std::uint64_t low = 0, high = 0;

  Digest& operator+=(const Digest& other) {
    low += other.low;
    high += other.high + (low < other.low);
    return *this;
  }
};

enum class Ending : std::uint8_t { Complete = 1, Blocked = 2 };

namespace detail {

// Two hashes of 64 bits that share nothing but their input.
class DoubleHash {
public:
  explicit DoubleHash(std::uint64_t seed) : low_(seed), high_(~seed) {}

  void add(std::uint64_t v) {
    low_ = scramble(low_ ^ (v + 0x9E3779B97F4A7C15ULL), 0xFF51AFD7ED558CCDULL);
    high_ = scramble(high_ + (v ^ 0xD6E8FEB86659FD93ULL), 0xC4CEB9FE1A85EC53ULL);
  }

  Digest value() const { return {scramble(low_, 0x94D049BB133111EBULL), scramble(high_, 0xBF58476D1CE4E5B9ULL)}; }

private:
  static std::uint64_t scramble(std::uint64_t h, std::uint64_t factor) {
    h = (h ^ (h >> 29)) * factor;
    return h ^ (h >> 32);
  }

  std::uint64_t low_, high_;
};

} // namespace detail

} // namespace fencepost
