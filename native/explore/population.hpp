// A sample of the exploration tree: a population of graphs that goes down it level by level and is thinned out where it
// grows too large (Chen, Heuristic sampling, 1992). Graphs are grouped into strata; each stratum keeps somebody, whose
// weight then stands for those that were dropped, so every sum of weights stays unbiased.
#pragma once

#include "explore/estimate.hpp"

#include "vm/contract.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace fencepost {

class Random; // in population.cpp: the library's header is a large one

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
  Sampling();
  ~Sampling();

  std::size_t size = 16;              // graphs that are kept on a level, but for one of each stratum
  std::size_t most_bytes = 256 << 20; // of the graphs of a level
  SubtreeSizes sizes;
  std::unique_ptr<Random> random;
  double reached = 0; // the graphs of the level that it is on, by weight
};

namespace detail {

// What is known of a graph on its level, beside the graph.
struct Mark {
  Stratum stratum;
  double weight;
  std::uint32_t parent;
};

struct Chosen {
  std::uint32_t index;
  double weight;
  std::uint64_t key;
};

// Of a graph that was chosen. size: the executions below it.
struct Record {
  std::uint64_t key;
  double weight, size;
  std::uint32_t parent;
};

// Who of a level goes on, and with what weight. `exact` becomes false where anybody was dropped.
std::vector<Chosen> thin(const std::vector<Mark>& level, std::size_t depth, Sampling& how, bool& exact);

// Notes how much there was below each graph, from the last level up.
void learn(std::vector<std::vector<Record>>& below, SubtreeSizes& sizes);

} // namespace detail

// Node: a graph, assignable, that knows its bytes(). The memory of nodes is used again. What does not depend on the
// node is in population.cpp.
template <class Node> class Population {
public:
  // The graphs of one level of the tree.
  class Level {
  public:
    void clear() { marks_.clear(); }
    std::size_t size() const { return marks_.size(); }
    void add(const Node& node, const Stratum& stratum) {
      if (size() == nodes_.size()) nodes_.push_back(std::make_unique<Node>());
      *nodes_[size()] = node;
      marks_.push_back({stratum, weight, parent});
    }

    double weight = 1; // of what is added, and who it is below
    std::uint32_t parent = 0;

  private:
    friend class Population;
    std::vector<std::unique_ptr<Node>> nodes_; // at least one for each mark
    std::vector<detail::Mark> marks_;
  };

  // Goes down from these graphs. `expand(node, children, sample)` adds the children of a node, or says in `sample`
  // which executions end there; it gives up by returning false. Empty where it gave up or needs more memory than it may
  // have.
  template <class Expand> std::optional<Sample> run(const Level& start, Sampling& how, Expand&& expand) {
    Sample all;
    below_.clear();
    const Level* from = &start;
    for (std::size_t level = 0; from->size() > 0; ++level) {
      const std::vector<detail::Chosen> chosen = detail::thin(from->marks_, level, how, all.exact);
      next_.clear();
      std::vector<detail::Record> records;
      for (const detail::Chosen& c : chosen) {
        Sample leaf;
        next_.weight = c.weight;
        next_.parent = static_cast<std::uint32_t>(records.size());
        FP_ASSERT(c.index < from->size(), "who was chosen should be on the level");
        FP_ASSERT(c.weight > 0, "who was chosen should stand for somebody");
        const Node& node = *from->nodes_[c.index];
        const std::size_t before = next_.size();
        if (!expand(node, next_, leaf) || next_.size() * node.bytes() > how.most_bytes) return {};
        all.executions += c.weight * leaf.executions;
        all.blocked += c.weight * leaf.blocked;
        all.choices += c.weight * static_cast<double>(next_.size() - before);
        records.push_back({c.key, c.weight, leaf.leaves(), from->marks_[c.index].parent});
      }
      below_.push_back(std::move(records));
      std::swap(here_, next_);
      from = &here_;
    }
    detail::learn(below_, how.sizes);
    return all;
  }

private:
  Level here_, next_;
  std::vector<std::vector<detail::Record>> below_;
};

} // namespace fencepost
