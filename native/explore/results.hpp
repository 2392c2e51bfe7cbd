// What an exploration finds, as plain data without a trace of how it was found.
#pragma once

#include "explore/digest.hpp"
#include "vm/left_out.hpp"
#include "vm/machine.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fencepost {

// An execution graph, ready to leave the core. Events are in the order in which they were added.
struct Execution {
  struct Event {
    std::int32_t thread, index;
    ActionKind kind;
    Mode mode;
    FenceKind fence;
    bool rmw, exclusive, noreturn;
    std::uint8_t size;
    std::uint64_t address, value;
    std::uint32_t position;
    std::int32_t reads_from; // index into `events`; -1 where it reads the initial value or does not read
    std::int32_t joined;     // Join: the last event of the thread that ended, or -1
    // Program-order indices in the same thread; with pick_dependency where it is nothing more than that.
    std::vector<std::uint32_t> address_deps, data_deps, control_deps;
  };
  struct Stuck {
    std::uint32_t thread, position;
    ActionKind kind;
  };
  std::vector<Event> events;
  std::vector<std::pair<std::uint64_t, std::vector<std::int32_t>>> coherence; // address, writes in order
  std::vector<std::uint64_t> outcome;
  std::vector<Stuck> stuck;
  std::vector<std::int32_t> spawned_by; // per thread: the Spawn event, or -1
};

struct Finding {
  ErrorKind kind = ErrorKind::Assertion;
  std::string message;
  std::uint32_t position = 0;
  std::int32_t thread = -1;
  std::vector<std::int32_t> events; // of `execution`, to blame
  Execution execution;
  std::uint64_t count = 1; // how often this kind was met at this place
};

struct Results {
  std::uint64_t executions = 0, blocked = 0, erroneous = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t choices = 0; // made on the way: what the work is measured by
  // With reductions: how many executions those that were visited stand for, and how many of them may stand for the same
  // ones as others do. `late`: graphs that were dropped because a critical section could have come earlier; those that
  // were visited stand for them. `asymmetric`: threads that were taken for identical are not; nothing else counts then.
  std::uint64_t representing = 0, uncounted = 0, late = 0;
  bool asymmetric = false;
  bool irregular = false; // order of arrival at a barrier may matter after all; nothing else counts then
  Digest digest;          // of complete and blocked executions, where it was asked for
  // RSMC, where what it asks of commit-before broke: runs that ended at an event without a parameter; events that got
  // others before them when they could be committed already; loads that it puts before a store which the axioms let
  // them read from. And where that was seen first.
  std::uint64_t dead_ends = 0, unstable = 0, unjustified = 0;
  std::pair<std::uint32_t, std::uint32_t> doubt{};
  bool waits_in_block = false; // a thread may wait in an atomic block, which only enumeration judges
  std::map<std::vector<std::uint64_t>, std::uint64_t> outcomes; // observed values -> complete executions
  std::vector<Finding> findings;                                // one per kind and place, the smallest that was met
  bool every_error = false;                                     // one per execution instead
  std::set<std::int32_t> flags;                                 // checks of the plan whose flag was raised
  std::set<std::uint32_t> assumed;                              // where assumes failed that blocked an execution
  std::vector<Execution> kept;                                  // where executions were asked for

  // Rounds that were left out because they take back what they add, and who looks at such places: see UndoneRounds.
  std::set<Between> between;
  std::set<Look> looks;

  bool in_parts =
      false; // what is before the first thread accesses in parts what executions that were handed out access

  std::vector<std::uint64_t> cuts; // where plain accesses should be cut for this program; nothing else counts then

  void merge(Results&& other);

  // Adds a finding for every round that was left out and that somebody may have seen.
  void report_left_out();
};

} // namespace fencepost
