// What an engine does with what it finds, whatever its graphs are: counting, findings, properties of memory, and
// graphs that leave the core. It never changes a graph.
//
// From a graph G it needs, besides coherence: `shown(e)`, whether the event exists for the outside; `order_of(t)`, the
// events of a thread by their index in program order, `none` where one is missing; `updates(e)`, whether it belongs to
// a read-modify-write that writes; `joined(e)`, the last event of the thread that a Join waited for; `known_before`,
// whether an event is sure to be over when another happens; `latest(t)`, the most advanced state of a thread;
// `stopped(t)`, whether an error or a bound ended it.
#pragma once

#include "explore/options.hpp"
#include "explore/results.hpp"
#include "graph/coherence.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_set>

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

struct Trouble {
  ErrorKind kind;
  std::string message;
};

template <class G> class Reporter {
public:
  Reporter(LocalStates& states, const ExploreOptions& options, Results& results)
      : has_free(detail::uses(states, [](const Instruction& i) { return i.opcode == Opcode::Free; })),
        has_heap(detail::uses(states, [](const Instruction& i) { return i.opcode == Opcode::Malloc; })),
        has_shared_stack(detail::uses(
            states,
            [](const Instruction& i) { return i.opcode == Opcode::Alloca && !(i.flags & flag::private_memory); })),
        states_(states), options_(options), results_(results) {}

  const bool has_free, has_heap, has_shared_stack;

  // An error was found after which nobody wants more.
  bool failed() const { return failed_; }
  void give_up() { failed_ = true; }

  // Why the next action of a thread cannot be an event, if so.
  std::optional<Trouble> fault(const G& g, std::uint32_t t) const;

  void report(const G& g, ErrorKind kind, const std::string& message, std::uint32_t position, std::int32_t thread,
              const std::vector<Id>& blame);

  // Heap memory: an access before it was written, after it was freed, or unordered with the free; a second free.
  // Whether there is one.
  bool memory(const G& g, Id e);

  // A graph in which all threads have ended, or in which no thread can move. Where the process has ended (main
  // returned, or somebody called exit), threads that still wait were ended by it: the execution is complete, and nobody
  // waits for ever. Threads that could move have moved: nothing can observe the end, so an execution in which it cuts a
  // thread short is a prefix of one in which it comes last, and has no error of its own.
  void complete(const G& g);
  void blocked(const G& g);
  void report_unsettled(const G& g);
  // Whether thread t spins and has not seen the newest values.
  bool spins_on(const G& g, std::uint32_t t) const;

  // The allocation that holds an address of the heap or a shared stack, by whoever made it; null where there is none.
  const Allocation* allocation_of(const G& g, std::uint64_t address) const;

private:
  void ask_for_cuts(const LocalState& now);
  void report_ended(const G& g);
  void leaks(const G& g);
  void count_complete(const G& g);
  void report_stalled(const G& g);
  void report_undone(const G& g);
  bool watched(const G& g, Id w, const std::vector<Id>& mine) const;
  bool copies(Id e, const G& g) const;
  bool stalled(const G& g, std::vector<Id>& blame) const;
  bool repeats(const G& g, const std::vector<Id>& events, std::uint64_t since) const;
  bool serves(const G& g, Id w) const;
  bool comes_round(const G& g, Id w) const;
  bool on_the_way(const G& g) const;
  std::vector<std::uint64_t> outcome(const G& g);
  std::uint64_t final_memory(const G& g, std::uint64_t address, unsigned size);
  Id final_write(const G& g, Location l) const;
  Execution export_graph(const G& g, std::vector<Id>* numbering = nullptr);
  void prepend(Execution& x);
  static bool overlap(const Execution& x);
  bool written(std::uint64_t address, unsigned size) const { return states_.prologue().wrote(address, size); }
  std::uint64_t fingerprint(const G& g) const;
  // Whether it was met before and does not count: RCMC may meet it again, for the others that is only noted.
  bool is_duplicate(const G& g) {
    if (!options_.check_duplicates || seen_.insert(fingerprint(g)).second) return false;
    ++results_.duplicates;
    return options_.rcmc;
  }
  void add_to_digest(const G& g, Ending ending) {
    if (options_.digest) results_.digest += digest_of(g, ending, !without_coherence(options_.model));
  }

  LocalStates& states_;
  const ExploreOptions& options_;
  Results& results_;
  bool failed_ = false;
  std::unordered_set<std::uint64_t> seen_;
};

} // namespace fencepost
