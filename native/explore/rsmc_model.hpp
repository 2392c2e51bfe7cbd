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

// `outcome`: not the store-conditional of this slot, but the decision whether it succeeds, which comes first and on its
// own: what follows a failure depends on nothing.
struct Name {
  std::uint32_t thread = 0, slot = 0;
  bool outcome = false;
  auto operator<=>(const Name&) const = default;
};
inline constexpr Name initial_store{UINT32_MAX, 0};

inline constexpr std::int64_t any_place = -1;    // the pseudo-parameter *
inline constexpr std::size_t most_events = 4096; // with places: each state on the stack is a copy of the graph

// Load: `source`. Store: `place`, counted from 0. Choice and outcome: its value in `place`.
struct Commit {
  Name event;
  Name source = initial_store;
  std::int64_t place = any_place;
  bool load = false;
  bool operator==(const Commit&) const = default;
};
using Run = std::vector<Commit>;

// What an event, or the outcome of a store-conditional, has before it: events and outcomes, by their numbers.
template <unsigned W> struct Before {
  Bits<W> events, outcomes;
  bool operator==(const Before&) const = default;
};

// Fetched events that are not committed stand in the graph, hidden and without a place in any location.
template <unsigned W> struct State {
  CommitGraph<W> g;
  Bits<W> open;              // fetched and not committed
  Bits<W> undecided;         // of them, store-conditionals that may fail and whose outcome is open
  std::vector<Name> succeed; // store-conditionals that may fail and do not
  // Threads that halted before something that cannot be an event. It is told at the end of the run: until then events
  // of other threads may be missing before those that are there.
  std::vector<std::pair<std::uint32_t, Trouble>> faults;
};

template <unsigned W> struct Successor {
  Commit commit;
  State<W> after;
};

// An event to commit, or where `outcome` the outcome of store-conditional `event`.
struct Choice {
  Id event = none;
  bool outcome = false;
};

template <unsigned W> class Model {
public:
  using Set = Bits<W>;
  using G = CommitGraph<W>;
  using State = rsmc::State<W>;
  using Successor = rsmc::Successor<W>;
  using Before = rsmc::Before<W>;

  Model(LocalStates& states, const ExploreOptions& options);

  State first();

  // For each event, everything before it in (commit-before ∪ dependencies ∪ rf)+.
  std::vector<Set> order(State& s);

  // What is before a choice: by `order`, and the outcomes that are decided first.
  Before before(const State& s, const std::vector<Set>& order, Choice c) const;

  // What may be committed next; no event where there is nothing. Any choice is right for a commit-before that is
  // deadlock free. Outcomes and choices depend on nothing and come first; then the write of a read-modify-write, so
  // that few others can read what it reads; then the last event by name, which is likely to show a commit-before that
  // is not deadlock free (Fig. 5); last the reads of read-modify-writes whose operands are missing.
  Choice enabled(const State& s, const std::vector<Set>& order) const;
  bool is_enabled(const State& s, const std::vector<Set>& order, Choice c) const;

  // Every parameter that the axioms allow, with the state it leads to.
  std::vector<Successor> commits(const State& s, Choice c);

  // Whether the axioms allow, as far as the events go that are before either, that the load reads from the store e,
  // which is not committed. Then a consistent execution may have a cycle of commit-before.
  bool may_read(const State& s, const std::vector<Set>& order, Id load, Id e);

  // In the state whose order was last asked for: the write of a compare-exchange that changes what comes before another
  // event by being there; `none` where there is none.
  Id depends_on_outcome() const { return depends_on_outcome_; }

  bool overflowed() const { return overflowed_; }

private:
  void fetch(State& s);
  bool fetch_thread(State& s, std::uint32_t t);
  bool fetch_event(State& s, std::uint32_t t, LocalState* now);
  bool fetch_access(State& s, std::uint32_t t, LocalState* now);
  bool fetch_system_event(State& s, std::uint32_t t, LocalState* now);
  bool serves(State& s, Id e, const LocalState* now);
  LocalState* pass(State& s, Id e, LocalState* now);
  LocalState* pass_exchange(State& s, Id e, LocalState* now);
  bool alone(const State& s, std::uint32_t t) const { return !s.open.meets(s.g.thread[t].events); }
  bool known(const State& s, std::uint32_t t, DepSet deps) const;
  void expose(State& s, bool shown);
  void add_choices(const State& s, std::vector<Set>& rows) const;
  static void close(std::vector<Set>& rows);
  bool orders_by_outcome(const State& s, Id e, std::vector<Set> rows) const;
  bool allows(const State& s, const Set& kept, Id load, Id e);
  bool comes_early(const State& s, const std::vector<Set>& order, Id read) const;
  void settle(State& s, Id e);
  void load(std::vector<Successor>& found, const State& s, Id e, Id w);
  void keep(std::vector<Successor>& found, State&& after, const Commit& commit);
  Name name_of(const State& s, Id e) const { return {s.g[e].thread, s.g[e].slot}; }

  LocalStates& states_;
  const ExploreOptions& options_;
  PlanEvaluator<W> axioms_, commit_before_;
  CommitStructure<W> structure_;
  bool overflowed_ = false;
  Id depends_on_outcome_ = none;
};

extern template class Model<many>;

} // namespace fencepost::rsmc
