// Sets of events of one thread, by their index in program order, shared and numbered so that a register carries one
// small number. Number 0 is the empty set.
#pragma once

#include "vm/contract.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace fencepost {

using DepSet = std::uint32_t;

// Flags of an element. success: on whether a store-conditional succeeded, no dependency to most models. pick: only on
// which value was taken (the condition of a CSEL, the comparison of a CAS), as AArch64 tells it apart; an element
// without the flag beside it is the stronger one.
inline constexpr std::uint32_t success_dependency = 1u << 31, pick_dependency = 1u << 30;

// The program-order index of an element.
inline constexpr std::uint32_t slot_of(std::uint32_t element) {
  return element & ~(success_dependency | pick_dependency);
}

class DependencyTable {
public:
  DependencyTable() : sets_(1) { numbers_[{}] = 0; }

  const std::vector<std::uint32_t>& elements(DepSet set) const {
    FP_ASSERT(set < sets_.size(), "a set of dependencies should have been made");
    return sets_[set];
  }

  DepSet single(std::uint32_t index) { return number({index}); }

  DepSet join(DepSet a, DepSet b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    FP_ASSERT(a < sets_.size() && b < sets_.size(), "sets that are joined should have been made");
    if (a > b) std::swap(a, b);
    const auto known = joins_.find({a, b});
    if (known != joins_.end()) return known->second;
    std::vector<std::uint32_t> all;
    std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(), std::back_inserter(all));
    const DepSet result = number(std::move(all));
    joins_[{a, b}] = result;
    return result;
  }

  // The same events, as pick dependencies.
  DepSet picked(DepSet set) {
    FP_ASSERT(set < sets_.size(), "a set of dependencies should have been made");
    std::vector<std::uint32_t> all;
    for (const std::uint32_t d : sets_[set])
      all.push_back(d | pick_dependency);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return number(std::move(all));
  }

  // Whether an element of this set is a pick dependency and nothing more.
  bool only_picks(DepSet set, std::uint32_t element) const {
    return element & pick_dependency &&
           !std::binary_search(sets_[set].begin(), sets_[set].end(), element & ~pick_dependency);
  }

private:
  DepSet number(std::vector<std::uint32_t> elements) {
    FP_ASSERT(std::is_sorted(elements.begin(), elements.end()), "a set of dependencies should be sorted");
    const auto [at, fresh] = numbers_.try_emplace(elements, static_cast<DepSet>(sets_.size()));
    if (fresh) sets_.push_back(std::move(elements));
    return at->second;
  }

  std::vector<std::vector<std::uint32_t>> sets_;
  std::map<std::vector<std::uint32_t>, DepSet> numbers_;
  std::map<std::pair<DepSet, DepSet>, DepSet> joins_;
};

} // namespace fencepost
