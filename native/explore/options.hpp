#pragma once

#include "graph/bits.hpp"
#include "models/commit_order.hpp"
#include "models/model.hpp"
#include "models/plan.hpp"
#include "vm/machine.hpp"

#include <atomic>
#include <chrono>
#include <vector>

namespace fencepost {

struct ExploreOptions {
  Model model = Model::Rc11;
  bool keep_going = false;            // collect every kind of error instead of stopping at the first
  bool races = true;                  // report data races on non-atomics, where the model has them
  bool leaks = false;                 // report heap memory that is never freed
  bool deadlocks = true;              // report threads that wait for what nobody will do
  bool check_duplicates = false;      // hash every complete graph
  bool digest = false;                // sum up the hashes of all executions
  std::uint64_t keep_executions = 0;  // hand out this many complete executions as data
  std::uint64_t keep_errors = 0;      // hand out this many executions with an error, not one for each place
  bool keep_outcomes = false;         // and the first execution of every outcome
  std::uint32_t max_events = 1 << 13; // per execution
  std::size_t cache_bytes = 24 << 20; // thread states remembered
  MachineLimits machine;
  Plan plan;                         // where it has operations, the model is this plan and events commit out of order
  Plan at_end;                       // where it has operations, what the model says of whole executions
  bool pieces = false;               // atomic blocks hold the pieces of one access of mixed size
  bool success_dependencies = false; // dependencies may start at the success of a store-conditional (RISC-V)
  // Symmetry: by function, which of its arguments matter, as bits; negative where threads that run it can tell
  // themselves apart. Empty: no reduction.
  std::vector<std::int64_t> anonymous;
  bool sections = false;                           // critical sections without a conflict are explored in one order
  CommitOrder commit_order = CommitOrder::Weakest; // what must be there before an event, where the model is a plan
  bool tuned = false;                  // the plan is that of the model of the order, which has a judge of its own
  std::vector<std::uint32_t> foreseen; // instructions: compare-exchanges whose success is told before they have read
  bool rcmc = false;                   // RCMC explores, not TruSt; for rc11, rc11-cpp20 and wrc11
  Plan commit_before;                  // where it has operations, RSMC explores, with this relation as commit-before

  bool valid_commit_before = false; // it is proved that no consistent execution has a cycle of it

  bool by_plan() const { return !plan.operations.empty(); }
  bool by_end() const { return !at_end.operations.empty(); }
  bool by_rsmc() const { return !commit_before.operations.empty(); }

  // Whether an exploration cannot be saved: it goes on where it was, or begins anew.
  bool is_one_piece() const { return by_rsmc() || rcmc; }
};

// How long one call may run. Whoever holds it may raise `stop` from another thread.
struct Budget {
  std::uint64_t executions = UINT64_MAX; // complete and blocked ones together
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  const std::atomic<bool>* stop = nullptr;
  const std::atomic<bool>* also_stop = nullptr;

  bool stopped() const {
    return (stop && stop->load(std::memory_order_relaxed)) || (also_stop && also_stop->load(std::memory_order_relaxed));
  }
  bool spent() const { return stopped() || std::chrono::steady_clock::now() >= deadline; }
};

// An engine looks at its budget where its count of ticks has none of these bits. A tick takes 100 ns in most graphs,
// four times a look at the clock, and up to a second in those of thousands of events, which have rows of many words.
template <unsigned W> constexpr std::uint64_t ticks_between_looks = W == many ? 0 : 0x3F;

enum class Progress : std::uint8_t { Done, Paused, Full, Failed };

} // namespace fencepost
