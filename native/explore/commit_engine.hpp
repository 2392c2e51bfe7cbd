// TruSt for models that let events be committed out of program order (POWER, ARMv8, RISC-V, ARMv7, IMM): every
// consistent execution exactly once. The algorithm and its proof are in docs/how/power.md; what judges it is
// enumeration, on random programs (tests/explore/test_commit_order.py).
//
// A stack of graphs that wait to be extended is the whole state of the exploration. An alternative is a copy of the
// graph with one choice made; the canonical choice goes on in place.
#pragma once

#include "explore/engine.hpp"
#include "explore/reporter.hpp"
#include "graph/split_graph.hpp"
#include "models/commit_rules.hpp"
#include "models/commit_structure.hpp"
#include "models/known_before.hpp"
#include "models/plan_evaluator.hpp"
#include "models/tuned_judge.hpp"

#include <optional>

namespace fencepost {

template <unsigned W> class CommitEngine final : public AnyEngine {
public:
  using Set = Bits<W>;
  using G = SplitGraph<W>;

  CommitEngine(LocalStates& states, const ExploreOptions& options, Results& results, const Plan& plan);
  ~CommitEngine() override; // not inline: what is seldom needed is compiled apart

  void begin() override;
  Progress run(const Budget& budget) override;
  std::vector<std::int64_t> save() const override;
  bool load(const std::vector<std::int64_t>& saved, const Budget& budget = {}) override;
  std::vector<std::int64_t> split() override;
  bool add_frontier(const Budget& budget) override;
  std::optional<Sample> sample(Sampling& how, const Budget& budget) override;
  bool full() const override { return full_; }

private:
  std::vector<std::int64_t> save(const std::vector<const G*>& graphs) const;

  // --- in time: where a graph has thousands of events, one tick may ask about thousands of choices, for minutes
  struct Interrupted {}; // amid a tick; what it began is taken back
  void look() const {
    if (W == many && budget_ != nullptr && budget_->spent()) throw Interrupted{};
  }
  bool extend_in_time(const Budget& budget, bool& goes_on);
  bool still_possible(G& g);
  void take_back(G& g, std::uint32_t t, Id first, LocalState* now) const;

  bool has_tuned_judge(const Plan& plan) const;

  // --- one graph
  bool extend();
  std::size_t shown_events(const G& g) const;
  int next_thread() const;
  bool can_move(const G& g, const typename G::Thread& th) const;
  bool has_hole(const typename G::Thread& th) const;
  bool faulty(std::uint32_t t);
  bool whole_threads(const G& g) const;
  void report_fault(G& g, std::uint32_t t);
  bool met_error(const G& g, std::uint32_t t) const {
    return g.thread[t].halted && g.at_slot(t, g.thread[t].now->state.events) == none;
  }
  bool step(std::uint32_t t);
  bool add_read(std::uint32_t t);
  bool add_write(std::uint32_t t);
  bool add_outcome(std::uint32_t t, std::uint32_t slot);
  bool add_choice(std::uint32_t t);
  bool add_other(std::uint32_t t);
  Id add_event(G& g, std::uint32_t t, std::uint32_t slot, Half half);
  Id add_event(G& g, std::uint32_t t) { return add_event(g, t, g.thread[t].now->state.events, Half::Whole); }
  Id read(G& g, std::uint32_t t, Id w, const Needs<W>& needs);
  void settle_read(G& g, Id r, Id w, const Needs<W>& needs);
  void pass(G& g, std::uint32_t t);
  LocalState* after(const G& g, Id e, LocalState* at);
  bool foreseen(const LocalState& at) const;
  bool succeeds(LocalState* at, std::uint64_t value) { return states_.next(at, value)->action.rmw; }
  bool as_foreseen(const G& g);
  void meet(G& g, Id e, LocalState* now);
  std::uint64_t value_of(const G& g, Id w, Location l) {
    return w == initial ? states_.locations().initial(l) : g[w].value;
  }
  Needs<W> needs_of(const G& g, std::uint32_t t) const;

  // --- closed sets
  void close(const G& g, Set& set, const Set& apart = {}) const;
  Set row(const G& g, const Set& direct) const;
  void keep_riders(const G& g, Id r, Set& needed) const;

  // --- alternatives
  G& fork(const G& from);
  G& top() { return stack_[stack_.size() - 1 - spare_]; }
  void keep_if_possible(Id last = none);
  bool possible(G& g, Id last = none);
  bool updated_for_good(G& g, std::uint32_t t, Id w, Location l, std::optional<Set>& stay) const;
  Id source_in_hole(G& g, std::uint32_t t) const;
  bool could_read(G g, std::uint32_t t, Id w, const Needs<W>& needs);
  void place_everywhere(const G& from, Id a, Id except);
  Set newer_than_known(const G& g, std::uint32_t t, std::uint32_t slot, const Action& a, const Set& kept);
  bool keeps_order(const G& g, Id w, Location l, std::uint32_t thread, std::uint32_t slot, const Set& kept) const;
  bool consistent(G& g, Id last = none);
  bool allowed(G& g, Id last);
  bool consistent_anew(const G& g);
  bool ends_well(G& g);
  bool updates_twice(const G& g, const Set& readers) const;
  bool updates_twice_within(const G& g, const Set& some) const;
  bool may_be_garbage(G& g, Id last);
  void add_forced(const G& g, Set& stay, Set apart, std::vector<Id>& updates) const;
  bool forced(const G& g, Id r, const Set& stay, const Set& apart) const;
  bool decided(const G& g, Id w, const Set& stay, const Set& apart) const;
  bool place_after_source(G& g, Id r) const;
  bool surely_fits(const G& g, std::uint32_t t, std::size_t slot, const LocalState& at) const;
  bool surely_updates(const G& g, Id a, Id place) const;
  bool out_of_touch(const G& g, std::uint32_t t, std::size_t slot, const LocalState& at) const;
  bool nothing_after(const G& g, std::uint32_t t, std::size_t slot) const;

  // --- canonical choices; `previous` is what the choice may look at
  static constexpr std::size_t few_slots = 16; // fewer than a location has accesses, in the worst case
  std::pair<Id, bool> bound(const G& g, Id e, const Set& previous) const;
  std::pair<Id, bool> bound_by_slots(const G& g, Id e, const Set& previous) const;
  Id last_of(const G& g, Location l, const Set& previous) const;
  Id before_of(const G& g, Id w, const Set& previous) const;
  Id canonical_source(const G& g, Id r, const Set& previous) const;
  Id after_updates(const G& g, Id source, Id except, const Set& previous) const;
  Id canonical_place(const G& g, Id w, const Set& previous) const;
  bool canonical(const G& g, Id e, const Set& previous) const;
  bool depends_on_earlier(const G& g, Id e) const;
  bool chosen_by_rule(G& g, Id e, const Set& before) const;
  bool branches(const G& g, Id r) const;
  bool excused(const G& g, Id r, Set base) const;
  bool loose(const G& g, Id e) const;
  bool takes_along(const G& g, Id r) const;
  bool may_be_allowed_later(const G& g, Id e) const;
  bool updates_alone(const G& g, Id r) const;
  bool surely_twice(const G& g, const Set& some, const Set& apart) const;
  void note_newest(const G& g, const Set& fresh) const;
  struct Soon { // an access that is about to be added
    std::uint32_t thread = UINT32_MAX;
    Location location = no_location;
  };
  Set fixed(G& g, Set& apart, Soon soon = {}) const;

  // --- revisits
  void revisit_all(const G& g, Id a);
  bool in_place(const G& g, Id r) const;
  void revisit(const G& from, Id a, Id r);
  void cut(G& g, const Set& gone) const;
  void forget_comparisons(G& g, std::uint32_t t, std::size_t from) const;

  // --- estimating
  Stratum stratum(const G& g) const;
  bool expand(const G& node, typename Population<G>::Level& children, Sample& leaf, const Budget& budget);

  // --- what is found
  void complete();
  void check_memory(const G& g);
  void raise_flags(G& g);
  void report_race(const G& g, Id a, Id b);
  std::pair<Id, Id> race_anew(const G& g);
  void collect_states();

  LocalStates& states_;
  const ExploreOptions& options_;
  Results& results_;
  CommitRules<W> rules_;
  KnownBefore<W> known_;
  std::optional<PlanEvaluator<W>> plan_;
  CommitStructure<W, G> structure_;
  Reporter<G> reporter_;
  std::vector<G> stack_; // graphs to extend; the last `spare_` ones are only memory to use again
  std::size_t spare_ = 0;
  G current_, scratch_, part_;
  typename Population<G>::Level frontier_; // for estimates
  Population<G> population_;
  mutable std::vector<std::uint32_t> newest_; // by location: the last stamp among events that are fixed
  bool active_ = false, full_ = false;
  const bool has_blocks_;              // atomic ones
  std::optional<TunedJudge<W>> tuned_; // in the place of the plan
  std::uint64_t tick_ = 1;             // over all calls of run
  const Budget* budget_ = nullptr;     // of the tick that runs
};

} // namespace fencepost
