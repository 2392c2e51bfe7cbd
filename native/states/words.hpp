// Rows of machine words: what the monitors remember, packed as the layout of a state says.
#pragma once

#include <cstdint>
#include <vector>

namespace fencepost::states {

using Word = std::uint64_t;

// Knowing both: what only one of them knows to be superseded is superseded.
inline void meet(Word* a, const Word* b, std::uint32_t n) {
  for (std::uint32_t k = 0; k < n; ++k)
    a[k] &= b[k];
}

inline void clear(Word* a, const std::vector<Word>& mask, std::uint32_t n) {
  for (std::uint32_t k = 0; k < n; ++k)
    a[k] &= ~mask[k];
}

inline void set(Word* a, std::int32_t bit) {
  if (bit >= 0) a[bit / 64] |= Word{1} << (bit % 64);
}

inline bool touches(const Word* a, const std::vector<Word>& mask) {
  for (std::size_t k = 0; k < mask.size(); ++k)
    if (a[k] & mask[k]) return true;
  return false;
}

} // namespace fencepost::states
