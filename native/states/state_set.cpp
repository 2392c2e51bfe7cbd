#include "states/state_set.hpp"

#include "vm/contract.hpp"

#include <algorithm>

namespace fencepost::states {

std::uint64_t hash_words(const std::uint64_t* words, std::uint32_t count) {
  std::uint64_t h = 0x9E3779B97F4A7C15ULL ^ count;
  for (std::uint32_t k = 0; k < count; ++k) {
    const auto product = static_cast<unsigned __int128>(h ^ words[k]) * 0xD6E8FEB86659FD93ULL;
    h = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^ (h << 7);
  }
  h ^= h >> 32;
  h *= 0xD6E8FEB86659FD93ULL;
  return h ^ (h >> 29);
}

StateSet::StateSet(std::uint32_t record_bytes, bool compact)
    : record_bytes_(record_bytes),
      per_block_(static_cast<std::uint32_t>(std::max<std::size_t>(1, block_bytes / record_bytes))), compact_(compact),
      mask_(1023), slots_(mask_ + 1, Slot{0, none}) {}

std::uint32_t StateSet::insert(const std::uint64_t* record, std::uint64_t hash, std::uint32_t parent) {
  const auto tag = static_cast<std::uint32_t>(hash);
  std::uint64_t at = hash & mask_;
  for (; slots_[at].number != none; at = (at + 1) & mask_)
    if (slots_[at].tag == tag && equal(slots_[at].number, record, hash)) return none;
  FP_REQUIRE(size_ < none, "there should be a number for each state");
  const std::uint32_t number = size_++;
  slots_[at] = {tag, number};
  if (number / per_block_ >= blocks_.size())
    blocks_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(std::size_t{per_block_} * record_bytes_ + 8));
  std::memcpy(blocks_[number / per_block_].get() + std::size_t{number % per_block_} * record_bytes_, record,
              record_bytes_);
  FP_ASSERT(parents_.size() == number, "states should be numbered one by one");
  parents_.push_back(parent);
  if (compact_) hashes_.push_back(hash);
  if (std::uint64_t{size_} * 4 > slots_.size() * 3) grow();
  return number;
}

void StateSet::grow() {
  // Slots are placed by the low bits of the hash, which the tag holds: no record is read again (up to 2^32 slots).
  const std::uint64_t mask = mask_ * 2 + 1;
  std::vector<Slot> bigger(mask + 1, Slot{0, none});
  for (const Slot& slot : slots_) {
    if (slot.number == none) continue;
    std::uint64_t at = slot.tag & mask;
    while (bigger[at].number != none)
      at = (at + 1) & mask;
    bigger[at] = slot;
  }
  FP_ASSERT(bigger.size() > size_, "a table should have room for all states");
  slots_ = std::move(bigger);
  mask_ = mask;
}

void StateSet::release_before(std::uint32_t number) {
  FP_REQUIRE(compact_, "only a search by hashes should forget states");
  for (; (released_ + 1) * std::uint64_t{per_block_} <= number; ++released_)
    blocks_[released_].reset();
}

std::size_t StateSet::bytes() const {
  return slots_.size() * sizeof(Slot) +
         (blocks_.size() - std::min<std::size_t>(released_, blocks_.size())) *
             (std::size_t{per_block_} * record_bytes_ + 8) +
         parents_.capacity() * sizeof(std::uint32_t) + hashes_.capacity() * sizeof(std::uint64_t);
}

std::size_t StateSet::bytes_after_growth() const {
  const bool soon = std::uint64_t{size_} * 4 > slots_.size() * 3 - slots_.size() / 8;
  return bytes() + (soon ? 2 * slots_.size() * sizeof(Slot) : 0);
}

} // namespace fencepost::states
