// A sample of the exploration tree: a population of graphs that goes down it level by level and is thinned out where it
// grows too large (Chen, Heuristic sampling, 1992). Graphs are grouped into strata; each stratum keeps somebody, whose
// weight then stands for those that were dropped, so every sum of weights stays unbiased.
#pragma once

#include "explore/estimate.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fencepost {

using Random = std::mt19937_64;

// What a graph has in common with others below which there will be about as much.
struct Stratum {
  static constexpr std::uint8_t most_others = 7;

  std::uint32_t events = 0; // how many there are
  std::uint32_t run = 0;    // the newest events that stand as the canonical run puts them
  std::uint8_t others = 0;  // the events that do not, up to 7
  std::uint8_t flags = 0;   // half an update is done, its source is taken, somebody waits
  std::uint16_t holes = 0;  // models that commit out of order: events that are missing before others

  // As one number; with less in it the coarser it is to be.
  static constexpr unsigned coarsest = 2;
  std::uint64_t key(unsigned coarse) const {
    std::uint64_t key = static_cast<std::uint64_t>(holes) << 16 | static_cast<std::uint64_t>(others) << 8 | flags;
    if (coarse < 1) key |= static_cast<std::uint64_t>(run & 0xFFFF) << 48;
    if (coarse < 2) key |= static_cast<std::uint64_t>(events & 0xFFFF) << 32;
    return key;
  }
};

// How many executions there were below the graphs of a stratum on a level, from the populations so far.
class SubtreeSizes {
public:
  void add(std::size_t level, std::uint64_t key, double weight, double size) {
    auto& [weights, sizes] = known_[{level, key}];
    weights += weight;
    sizes += weight * size;
  }

  // The mean, or a negative number where nothing is known.
  double mean(std::size_t level, std::uint64_t key) const {
    const auto found = known_.find({level, key});
    return found == known_.end() || found->second.first <= 0 ? -1 : found->second.second / found->second.first;
  }

private:
  std::map<std::pair<std::size_t, std::uint64_t>, std::pair<double, double>> known_;
};

// What a population is told, and what it learned for the next one.
struct Sampling {
  std::size_t size = 16;              // graphs that are kept on a level, but for one of each stratum
  std::size_t most_bytes = 256 << 20; // of the graphs of a level
  SubtreeSizes sizes;
  Random random;
  double reached = 0; // the graphs of the level that it is on, by weight
};

namespace detail {

struct Chosen {
  std::uint32_t index;
  double weight;
  std::uint64_t key;
};

// Thins one stratum out to `quota`: heavy ones stay as they are, of the others a systematic sample in proportion to
// weight. Appends to `kept`; whether any was dropped.
inline bool thin_stratum(std::vector<Chosen>& stratum, std::size_t quota, Random& random, std::vector<Chosen>& kept) {
  if (stratum.size() <= quota) return kept.insert(kept.end(), stratum.begin(), stratum.end()), false;
  std::stable_sort(stratum.begin(), stratum.end(),
                   [](const Chosen& a, const Chosen& b) { return a.weight > b.weight; });
  double left = 0;
  for (const Chosen& c : stratum)
    left += c.weight;
  std::size_t heavy = 0;
  for (; quota > 1 && stratum[heavy].weight * static_cast<double>(quota) >= left; ++heavy, --quota) {
    left -= stratum[heavy].weight;
    kept.push_back(stratum[heavy]);
  }
  const double step = left / static_cast<double>(quota);
  double at = std::uniform_real_distribution<double>(0, step)(random);
  for (std::size_t k = heavy, taken = 0; k < stratum.size() && taken < quota; ++k) {
    at -= stratum[k].weight;
    if (at >= 0 && k + 1 < stratum.size()) continue; // rounding must not lose the last
    kept.push_back({stratum[k].index, step, stratum[k].key});
    at += step;
    ++taken;
  }
  return true;
}

} // namespace detail

// Node: a graph, assignable, that knows its bytes(). The memory of nodes is used again.
template <class Node> class Population {
public:
  // The graphs of one level of the tree.
  class Level {
  public:
    void clear() { count_ = 0; }
    std::size_t size() const { return count_; }
    void add(const Node& node, const Stratum& stratum) {
      if (count_ == slots_.size()) slots_.emplace_back();
      Slot& s = slots_[count_++];
      s.node = node;
      s.stratum = stratum;
      s.weight = weight;
      s.parent = parent;
    }

    double weight = 1; // of what is added, and who it is below
    std::uint32_t parent = 0;

  private:
    friend class Population;
    struct Slot {
      Node node;
      Stratum stratum;
      double weight;
      std::uint32_t parent;
    };
    std::vector<Slot> slots_;
    std::size_t count_ = 0;
  };

  // Goes down from these graphs. `expand(node, children, sample)` adds the children of a node, or says in `sample`
  // which executions end there; it gives up by returning false. Empty where it gave up or needs more memory than it may
  // have.
  template <class Expand> std::optional<Sample> run(const Level& start, Sampling& how, Expand&& expand) {
    Sample all;
    below_.clear();
    const Level* from = &start;
    for (std::size_t level = 0; from->size() > 0; ++level) {
      const std::vector<detail::Chosen> chosen = thin(*from, level, how, all.exact);
      next_.clear();
      std::vector<Record> records;
      for (const detail::Chosen& c : chosen) {
        Sample leaf;
        next_.weight = c.weight;
        next_.parent = static_cast<std::uint32_t>(records.size());
        FP_ASSERT(c.index < from->size(), "who was chosen should be on the level");
        FP_ASSERT(c.weight > 0, "who was chosen should stand for somebody");
        const auto& slot = from->slots_[c.index];
        const std::size_t before = next_.size();
        if (!expand(slot.node, next_, leaf) || next_.size() * slot.node.bytes() > how.most_bytes) return {};
        all.executions += c.weight * leaf.executions;
        all.blocked += c.weight * leaf.blocked;
        all.choices += c.weight * static_cast<double>(next_.size() - before);
        records.push_back({c.key, c.weight, leaf.leaves(), slot.parent});
      }
      below_.push_back(std::move(records));
      std::swap(here_, next_);
      from = &here_;
    }
    learn(how.sizes);
    return all;
  }

private:
  struct Record {
    std::uint64_t key;
    double weight, size; // size: the executions below it
    std::uint32_t parent;
  };
  using Strata = std::unordered_map<std::uint64_t, std::vector<detail::Chosen>>;

  static Strata group(const Level& level, unsigned coarse) {
    Strata strata;
    for (std::uint32_t k = 0; k < level.size(); ++k) {
      const auto& slot = level.slots_[k];
      const std::uint64_t key = slot.stratum.key(coarse);
      strata[key].push_back({k, slot.weight, key});
    }
    return strata;
  }

  // Who goes on, and with what weight.
  std::vector<detail::Chosen> thin(const Level& level, std::size_t depth, Sampling& how, bool& exact) {
    std::vector<detail::Chosen> kept;
    how.reached = 0;
    for (std::uint32_t k = 0; k < level.size(); ++k) {
      const auto& slot = level.slots_[k];
      how.reached += slot.weight;
      if (level.size() <= how.size) kept.push_back({k, slot.weight, slot.stratum.key(0)});
    }
    if (level.size() <= how.size) return kept;
    unsigned coarse = 0;
    Strata strata = group(level, coarse);
    while (strata.size() > 8 * how.size && coarse < Stratum::coarsest)
      strata = group(level, ++coarse);
    std::vector<std::pair<std::uint64_t, double>> weights; // in an order that does not depend on the library
    for (const auto& [key, members] : strata) {
      double sum = 0;
      for (const detail::Chosen& c : members)
        sum += c.weight;
      weights.emplace_back(key, sum);
    }
    std::sort(weights.begin(), weights.end());
    const double mean = mean_size(weights, depth, how.sizes);
    for (const auto& [key, sum] : weights) {
      const double size = how.sizes.mean(depth, key);
      const double favour = size < 0 || mean <= 0 ? 1 : 0.3 + 0.7 * size / mean;
      const double quota = static_cast<double>(how.size) * sum * favour / how.reached;
      const auto most = static_cast<std::size_t>(std::max(1.0, std::min(quota + 0.5, 1e9)));
      if (detail::thin_stratum(strata[key], most, how.random, kept)) exact = false;
    }
    return kept;
  }

  static double mean_size(const std::vector<std::pair<std::uint64_t, double>>& weights, std::size_t depth,
                          const SubtreeSizes& sizes) {
    double known = 0, sum = 0;
    for (const auto& [key, weight] : weights)
      if (const double size = sizes.mean(depth, key); size >= 0) {
        known += weight;
        sum += weight * size;
      }
    return known > 0 ? sum / known : 0;
  }

  // Notes how much there was below each graph, from the last level up.
  void learn(SubtreeSizes& sizes) {
    for (std::size_t level = below_.size(); level-- > 0;)
      for (const Record& r : below_[level]) {
        sizes.add(level, r.key, r.weight, r.size);
        if (level > 0) {
          FP_ASSERT(r.parent < below_[level - 1].size(), "a graph should have its parent on the level above");
          Record& parent = below_[level - 1][r.parent];
          parent.size += r.size * (r.weight / parent.weight);
        }
      }
  }

  Level here_, next_;
  std::vector<std::vector<Record>> below_;
};

} // namespace fencepost
