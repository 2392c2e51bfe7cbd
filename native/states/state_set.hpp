// The states met so far: packed records in blocks, and an open-addressing table of their numbers. A record is stored
// once and never moves, so its number doubles as its place in the breadth-first queue.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace fencepost::states {

std::uint64_t hash_words(const std::uint64_t* words, std::uint32_t count);

class StateSet {
public:
  // `compact`: states are told apart by a hash of 64 bits alone, so that records can be released once they are
  // expanded. Two states with one hash then count as one: the search may miss something.
  StateSet(std::uint32_t record_bytes, bool compact);
  StateSet(StateSet&&) = default;
  StateSet& operator=(StateSet&&) = default;

  static constexpr std::uint32_t none = UINT32_MAX;

  // Adds the record unless it is there; returns its number if it is new, else `none`. The buffer is padded to words.
  std::uint32_t insert(const std::uint64_t* record, std::uint64_t hash, std::uint32_t parent);

  std::uint32_t size() const { return size_; }
  std::uint32_t parent(std::uint32_t number) const { return parents_[number]; }
  std::uint64_t hash(std::uint32_t number) const { return hashes_[number]; } // compact only
  const std::uint8_t* record(std::uint32_t number) const {
    return blocks_[number / per_block_].get() + std::size_t{number % per_block_} * record_bytes_;
  }
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }
  void release_before(std::uint32_t number); // compact only: these records are never looked at again
  bool kept(std::uint32_t number) const { return number / per_block_ >= released_; }
  std::size_t bytes() const;
  std::size_t bytes_after_growth() const; // what the next doubling of the table will need at its peak

private:
  struct Slot {
    std::uint32_t tag, number;
  };
  void grow();
  bool equal(std::uint32_t number, const std::uint64_t* record, std::uint64_t hash) const {
    return compact_ ? hashes_[number] == hash : std::memcmp(this->record(number), record, record_bytes_) == 0;
  }

  static constexpr std::size_t block_bytes = std::size_t{1} << 14;
  std::uint32_t record_bytes_, per_block_, size_ = 0, released_ = 0;
  bool compact_;
  std::uint64_t mask_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<std::uint8_t[]>> blocks_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint64_t> hashes_;
};

} // namespace fencepost::states
