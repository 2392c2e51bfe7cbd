// TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL 2022): every consistent execution graph exactly once, in
// memory linear in its size. The loop keeps one graph per pending revisit and undoes forward steps in place.
//
// Waiting reads (await, blocking CAS) never fork into executions that merely wait: a wait that the coherence-last write
// does not serve becomes a *marker*, which stands for every read that would go on waiting, and the thread is asked
// again when a newer write to the location arrives. See `Engine::next_source` and docs/how/exploration.md.
#pragma once

#include "explore/options.hpp"
#include "explore/population.hpp"
#include "explore/reporter.hpp"
#include "explore/results.hpp"
#include "explore/symmetry.hpp"
#include "graph/graph.hpp"
#include "models/blocks.hpp"
#include "models/consistency.hpp"
#include "vm/undone.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace fencepost {

namespace detail {
class Reader;
}

// An exploration in progress, whatever the width of its rows.
class AnyEngine {
public:
  virtual ~AnyEngine() = default;

  // Starts from the empty graph.
  virtual void begin() = 0;

  // Explores until done, until the budget is spent, or until a graph outgrows the width (Full).
  virtual Progress run(const Budget& budget) = 0;

  // The state of the exploration as plain numbers, and back. Any width can load what any other saved; false where the
  // events do not fit, or where the budget is spent before all of it is there.
  virtual std::vector<std::int64_t> save() const = 0;
  virtual bool load(const std::vector<std::int64_t>& saved, const Budget& budget = {}) = 0;

  // What an estimate asks. First for each piece of work (begun or loaded): everything that is still to be done becomes
  // part of the frontier, and nothing is left of the exploration itself; false where this engine cannot do it, it is
  // too large, or the budget is spent. Then as often as wanted: a sample of all that lies below the frontier; empty
  // where a graph outgrows the width (`full`) or the budget is spent.
  virtual bool add_frontier(const Budget& /*budget*/) { return false; }
  virtual std::optional<Sample> sample(Sampling&, const Budget&) { return std::nullopt; }
  virtual bool full() const { return false; }

  // Gives away the oldest choice that still has alternatives, as a saved exploration; empty where there is none.
  virtual std::vector<std::int64_t> split() = 0;
};

// The engine with rows of 1, 2 or 8 words, or of as many as there have to be.
enum class Width : std::uint8_t { One, Two, Eight, Many };
inline Width wider(Width width) {
  FP_ASSERT(width != Width::Many, "nothing should be wider than what grows");
  return static_cast<Width>(static_cast<unsigned>(width) + 1);
}
std::unique_ptr<AnyEngine> make_engine(Width width, LocalStates& states, const ExploreOptions& options,
                                       Results& results);

// The narrowest from `width` on that holds a saved exploration, with that loaded.
std::unique_ptr<AnyEngine> load_engine(Width& width, const std::vector<std::int64_t>& saved, LocalStates& states,
                                       const ExploreOptions& options, Results& results);

template <unsigned W> class Engine final : public AnyEngine {
public:
  using Set = Bits<W>;

  Engine(LocalStates& states, const ExploreOptions& options, Results& results);
  ~Engine() override; // not inline: what is seldom needed is compiled apart, without what takes an engine down

  void begin() override;
  Progress run(const Budget& budget) override;
  std::vector<std::int64_t> save() const override;
  bool load(const std::vector<std::int64_t>& saved, const Budget& budget = {}) override;
  std::vector<std::int64_t> split() override;
  bool add_frontier(const Budget& budget) override;
  std::optional<Sample> sample(Sampling& how, const Budget& budget) override;
  bool full() const override { return full_; }

private:
  enum class Kind : std::uint8_t { Plain, Read, Choose, Write, Base, Stuck };
  enum class Step : std::uint8_t { Applied, Pushed, Exhausted }; // Pushed: the last frame is to be advanced

  // Whether the budget is looked at after each alternative that is refused: in a large graph there may be thousands,
  // and to refuse one may take a hundredth of a second.
  static constexpr bool one_at_a_time = W == many;

  // A point of choice. `cursor` is the next alternative; `applied` says whether one is in the graph now.
  struct Frame {
    Kind kind;
    bool applied = false, last_resort = false, revisiting = false;
    bool given = false; // its other alternatives were given away
    std::uint32_t thread = 0;
    Id event = none, cursor = none;
    Id waited = none;                   // Read: the marker that the thread had
    Id revisited = none;                // Base: the read that now reads from `event`
    std::uint64_t choice = 0, high = 0; // Choose
    Set revisits;                       // Write: reads still to be revisited
  };

  Graph<W>& graph() { return *graphs_[depth_]; }
  const Graph<W>& graph() const { return *graphs_[depth_]; }
  void use_level(std::size_t depth);

  // --- going forward
  int movable_thread();
  bool can_move(const typename Graph<W>::Thread& th);
  bool push_next();
  void push_plain(std::uint32_t t, Id e);
  void push_stuck(std::uint32_t t);

  // --- choices
  Step advance(Frame& f);
  Step advance_plain(Frame& f);
  Step advance_read(Frame& f);
  Step advance_choose(Frame& f);
  Step advance_write(Frame& f);
  Step advance_base(Frame& f);
  void retract(Frame& f);
  Id next_source(Frame& f);
  bool apply_source(Frame& f, Id w);
  bool next_place(Frame& f);
  void undo_place(Frame& f);
  void undo_base(Frame& f);
  std::uint64_t value_of(Id w, Location l) { return w == initial ? states_.locations().initial(l) : graph()[w].value; }
  bool leads_nowhere(Id r) const;
  void settle_read(Id r);
  void unsettle_read(Id r);
  void answer(Id e);

  // --- revisits
  Set revisitable(Id a);
  bool maximal(Id e, const Set& kept);
  void push_revisit(Id a, Id r);
  void erase_after(Graph<W>& g, Id r, Id a);

  // --- waiting
  bool asked_again(const typename Graph<W>::Thread& th) const;
  bool serves(const Frame& f, Id w);
  bool wait_instead(Frame& f);
  bool pin(Frame& f);
  Set pinned_waits(const Graph<W>& g, Location l) const;
  template <class F> bool pinned_on(const Graph<W>& g, Id w, F&& previous) const;

  // --- looking twice
  bool looked_twice(const typename Graph<W>::Thread& th) const;
  bool stands_for_nothing() const;

  // --- what rounds read that are left out
  void note_late(Id e, LocalState& action);
  void note_late_ends();
  void judge_cut(Id r);

  // --- attempts in vain
  struct Attempt {
    std::uint32_t thread, first; // first: the program-order index of its first event
    Id next;                     // the read of the next attempt: before it this one ends
  };
  std::vector<Attempt> attempts(const Set& among) const;
  bool is_part(const Attempt& a, Id e) const;
  bool is_part(const std::vector<Attempt>& all, Id e) const;
  std::uint64_t added(const std::vector<Attempt>& all, Id w) const;
  bool makes_use(const std::vector<Attempt>& all, const Attempt& a, Id w, const Set& among) const;
  std::vector<Id> between(const Attempt& a) const;
  bool is_seen(const std::vector<Attempt>& all, const Attempt& a, const Set& among) const;
  void note_between(const std::vector<Attempt>& all, const Attempt& a, std::uint32_t loop);
  std::vector<Attempt> unseen(std::vector<Attempt> all, const Set& among) const;
  std::vector<Attempt> in_vain(Id e) const;
  void stop_after_attempt(Id e);
  void report_attempts_seen();

  // --- without coherence
  Id next_source_weakly(Frame& f);
  bool only_place_weakly(Frame& f);
  void complete_without_coherence();

  // --- identical threads
  bool can_join(std::uint32_t t) const;
  void judge_join(Id e);
  bool joins_in_part();
  void give_up_symmetry();

  // --- barriers
  Id next_source_at_barrier(Frame& f);
  void judge_barrier(Id e);
  bool arrives_regularly(Id e) const;
  bool looks_regularly(Id e) const;

  // --- critical sections
  struct Section {
    Id first, last; // first: the read that took the mutex
  };
  void give_up_sections();
  Id taken_by(const Graph<W>& g, Id last, Location mutex) const;
  bool conflict(const Graph<W>& g, Section a, Section b) const;
  bool is_late(const typename Graph<W>::Thread& th) const;
  bool somebody_is_late() const;
  bool keeps_to_sections(const Graph<W>& g, std::uint32_t t, std::vector<Location>& held) const;
  static std::vector<Set> in_every_order(const Graph<W>& g, const std::vector<Location>& held);
  bool disciplined(const Graph<W>& g) const;
  template <class F> bool frees_in_order(const Graph<W>& g, Id f, F&& ordered) const;

  // --- atomic blocks
  bool hopeless();
  bool must_stay(Id e, const Set& kept) const;
  void keep(Id e, Set& kept) const;
  bool sees_abandoned(const Graph<W>& g) const;
  void report_at_the_end(const Graph<W>& g);

  // --- estimating
  template <class Take> bool take_all(std::size_t first, const Budget& budget, Take&& take);
  bool was_maximal(const Graph<W>& g, Id e) const;
  Stratum stratum(const Graph<W>& g) const;
  bool expand(typename Population<Graph<W>>::Level& children, Sample& leaf, const Budget& budget);

  // --- saving and sharing
  bool load_graph(detail::Reader& in, Graph<W>& g);
  void rebuild(Graph<W>& g, const std::vector<bool>& exists);
  void rebuild_rows(Graph<W>& g);
  bool has_more(const Frame& f) const;

  // --- what is found
  void report_fault(const Graph<W>& g, std::uint32_t t, const Trouble& fault);
  bool faulty(std::uint32_t t);
  std::optional<Trouble> fault(std::uint32_t t) const;
  void complete();
  void report_races(Id e);
  void judge_access(Id e);
  void collect_states();
  void tell(const Graph<W>& g);

  LocalStates& states_;
  const ExploreOptions& options_;
  Results& results_;
  Consistency<W> consistency_;
  Reporter<Graph<W>> reporter_;
  Blocks<W> blocks_;
  const bool own_hb_, has_non_atomics_, has_blocks_, has_barriers_, has_sections_;
  const bool leaves_out_;      // graphs in which somebody looked twice
  UndoneRounds* const undone_; // where graphs tell what is in order with rounds that are left out
  Symmetry<W> symmetry_;
  std::vector<std::unique_ptr<Graph<W>>> graphs_;
  std::size_t depth_ = 0;
  std::vector<Frame> frames_;
  typename Population<Graph<W>>::Level frontier_; // for estimates
  Population<Graph<W>> population_;
  bool descend_ = true, full_ = false;
  std::uint64_t tick_ = 1; // over all calls of run: a slice of short executions may be shorter than what it measures
};

} // namespace fencepost
