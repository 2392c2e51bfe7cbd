// The execution model that §2 of "Stateless Model Checking for POWER" (Abdulla, Atig, Jonsson, Leonardsson, CAV 2016)
// derives from an axiomatic model and a commit-before function: threads fetch events as far as their branches are
// decided, and an event is committed with a parameter (a load: the store it reads from; a store: its place in
// coherence) once everything commit-before it is committed and the axioms allow it. Both the axioms and commit-before
// are relation plans. The slow twin is reference/rsmc.py.
#pragma once

#include "explore/options.hpp"
#include "explore/reporter.hpp"
#include "graph/commit_graph.hpp"
#include "models/commit_structure.hpp"
#include "models/plan_evaluator.hpp"

namespace fencepost::rsmc {

inline constexpr unsigned words = 4;
using Set = Bits<words>;
using G = CommitGraph<words>;

struct Name {
  std::uint32_t thread = 0, slot = 0;
  auto operator<=>(const Name&) const = default;
};
inline constexpr Name initial_store{UINT32_MAX, 0};

inline constexpr std::int64_t any_place = -1; // the pseudo-parameter *

// Load: `source`. Store: `place`, counted from 0. Choice: its value in `place`.
struct Commit {
  Name event;
  Name source = initial_store;
  std::int64_t place = any_place;
  bool load = false;
  bool operator==(const Commit&) const = default;
};
using Run = std::vector<Commit>;

// Fetched events that are not committed stand in the graph, hidden and without a place in any location.
struct State {
  G g;
  Set open; // fetched and not committed
  // Threads that halted before something that cannot be an event. It is told at the end of the run: until then events
  // of other threads may be missing before those that are there.
  std::vector<std::pair<std::uint32_t, Trouble>> faults;
};

struct Successor {
  Commit commit;
  State after;
};

class Model {
public:
  Model(LocalStates& states, const ExploreOptions& options);

  State first();

  // For each event, everything before it in (commit-before ∪ dependencies ∪ rf)+.
  std::vector<Set> order(State& s);

  // The last event, by name, that may be committed next; `none` where there is none. Any choice is right for a
  // commit-before that is deadlock free; this one is likely to show one that is not (Fig. 5).
  Id enabled(const State& s, const std::vector<Set>& order) const;

  // Every parameter of e that the axioms allow, with the state it leads to.
  std::vector<Successor> commits(const State& s, Id e);

  bool overflowed() const { return overflowed_; }

private:
  void fetch(State& s);
  bool fetch_thread(State& s, std::uint32_t t);
  bool fetch_event(State& s, std::uint32_t t, LocalState*& now);
  bool alone(const State& s, std::uint32_t t) const { return !s.open.meets(s.g.thread[t].events); }
  bool known(const State& s, std::uint32_t t, DepSet deps) const;
  void expose(State& s, bool shown);
  void settle(State& s, Id e);
  void load(std::vector<Successor>& found, const State& s, Id e, Id w);
  void keep(std::vector<Successor>& found, State&& after, const Commit& commit);

  LocalStates& states_;
  const ExploreOptions& options_;
  PlanEvaluator<words> axioms_, commit_before_;
  CommitStructure<words> structure_;
  bool overflowed_ = false;
};

} // namespace fencepost::rsmc
