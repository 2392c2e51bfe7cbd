// What is told of graphs, whatever they are and however wide: counting, findings, and executions that leave the core.
// It never changes a graph.
#pragma once

#include "explore/options.hpp"
#include "explore/results.hpp"
#include "graph/any_graph.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

namespace fencepost {

namespace detail {

inline std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9E3779B97F4A7C15ULL + (h << 6) + (h >> 2);
  h *= 0xFF51AFD7ED558CCDULL;
  return h ^ (h >> 32);
}

inline bool is_bound(ErrorKind kind) {
  return kind == ErrorKind::LoopBound || kind == ErrorKind::StepBound || kind == ErrorKind::EventBound ||
         kind == ErrorKind::ThreadBound || kind == ErrorKind::Unsupported || kind == ErrorKind::MixedSize ||
         kind == ErrorKind::LeftOut;
}

template <class F> bool uses(LocalStates& states, F&& wanted) {
  const auto& code = states.machine().program().code;
  return std::any_of(code.begin(), code.end(), wanted);
}

inline bool is_plain_access(const Instruction& i) {
  return (i.opcode == Opcode::Load || i.opcode == Opcode::Store) && i.mode == Mode::Na;
}

} // namespace detail

class Teller {
public:
  Teller(LocalStates& states, const ExploreOptions& options, Results& results);

  const bool has_free, has_heap, has_shared_stack;

  // An error was found after which nobody wants more.
  bool failed() const { return failed_; }
  void give_up() { failed_ = true; }

protected:
  void report(const AnyGraph& g, ErrorKind kind, const std::string& message, std::uint32_t position,
              std::int32_t thread, const std::vector<Id>& blame);
  void leaks(const AnyGraph& g);
  void count_complete(const AnyGraph& g);
  void count_blocked(const AnyGraph& g, bool assumed) {
    if (options_.digest) add_to_digest(g, Ending::Blocked);
    ++results_.blocked;
    if (assumed && results_.executions == 0) note_assumed(g);
  }
  // It was met before and does not count: RCMC may meet it again, for the others that is only noted.
  bool is_duplicate(const AnyGraph& g) {
    if (!options_.check_duplicates || seen_.insert(fingerprint(g)).second) return false;
    ++results_.duplicates;
    return options_.rcmc;
  }
  void report_stalled(const AnyGraph& g, const std::vector<Id>& blame);
  void report_undone(const AnyGraph& g);
  void report_unsettled(const AnyGraph& g);
  bool copies(const LocalState& at) const;
  bool written(std::uint64_t address, unsigned size) const { return states_.prologue().wrote(address, size); }

  LocalStates& states_;
  const ExploreOptions& options_;
  Results& results_;

private:
  void add_to_digest(const AnyGraph& g, Ending ending);
  void note_assumed(const AnyGraph& g);
  void ask_for_cuts(const LocalState& now);
  bool watched(const AnyGraph& g, Id w, const std::vector<Id>& mine) const;
  std::vector<std::uint64_t> outcome(const AnyGraph& g);
  std::uint64_t final_memory(const AnyGraph& g, std::uint64_t address, unsigned size);
  Execution export_graph(const AnyGraph& g, std::vector<Id>* numbering = nullptr);
  void prepend(Execution& x);
  static bool overlap(const Execution& x);
  std::uint64_t fingerprint(const AnyGraph& g) const;
  bool failed_ = false;
  std::unordered_set<std::uint64_t> seen_;
};

} // namespace fencepost
