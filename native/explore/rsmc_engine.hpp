// RSMC (Abdulla, Atig, Jonsson, Leonardsson, CAV 2016, Fig. 7): every trace of the derived execution model, with runs
// that block. The names are the paper's; the recursion is a stack of frames, so that it can pause. It cannot be saved
// or shared: a template belongs to the run that made it. The slow twin is reference/rsmc.py.
//
// The paper asks three things of a commit-before function. They are checked on every state met, and `Results` tells
// what broke, because then executions may be missing:
//   monotonic      an event keeps what is before it once it is committed or could be (condition iii): `unstable`
//   deadlock free  an event that could be committed has a parameter: `dead_ends`
//   acyclic        no consistent execution has a cycle. Such an execution is never met; but a run is, in which a load
//                  is before a store that it reads from there. Unless the axioms forbid that already: `unjustified`
#pragma once

#include "explore/engine.hpp"
#include "explore/rsmc_model.hpp"

#include <map>

namespace fencepost {

template <unsigned W> class RsmcEngine final : public AnyEngine {
public:
  RsmcEngine(LocalStates& states, const ExploreOptions& options, Results& results);

  void begin() override {
    State first = model_.first();
    std::vector<Set> order = model_.order(first);
    explore(std::move(first), std::move(order));
  }
  Progress run(const Budget& budget) override;
  std::vector<std::int64_t> save() const override { return {}; }
  // A narrower engine was full: everything anew.
  bool load(const std::vector<std::int64_t>&, const Budget& = {}) override { return results_ = {}, begin(), true; }
  std::vector<std::int64_t> split() override { return {}; }

private:
  using G = CommitGraph<W>;
  using State = rsmc::State<W>;
  using Successor = rsmc::Successor<W>;
  using Before = rsmc::Before<W>;
  using Name = rsmc::Name;
  using Run = rsmc::Run;
  using Set = Bits<W>;
  using Choice = rsmc::Choice;

  // A call of Explore, or of Traverse where `traverses`.
  struct Frame {
    State sigma;
    std::vector<Set> order;            // cb of sigma
    std::size_t depth = 0;             // the length of τ
    Choice e;                          // what to commit
    std::vector<Successor> successors; // one per parameter
    std::size_t next = 0;
    std::size_t explored = 0; // Explore, a load: how many templates of Q[e] were taken
    bool traverses = false;
    Run rest; // Traverse: what is left of the template, without e
  };

  void explore(State&& sigma, std::vector<Set>&& order);
  void traverse(State&& sigma, std::vector<Set>&& order, const Run& tau);
  void step();
  void finish(Frame& f);
  bool next_template(Frame& f);
  bool has_late_operand(const Frame& f);
  bool was_explored(Name load);
  void detect_race(const Frame& f);
  void look_at_pair(const Frame& f, Id load);
  void look_at_order(const Frame& f, const State& after, const std::vector<Set>& order);
  void break_down(std::uint64_t& count, const State& sigma, Id e);
  Run cut(const Run& tau, std::size_t from, const Before& before, const State& sigma) const;
  Run normalize(const Run& prefix, const Run& tau, const Frame& f) const;
  bool is_faulty(State& sigma);
  void report(State& sigma, const std::vector<Set>& order);
  Name name_of(const State& s, Choice c) const { return {s.g[c.event].thread, s.g[c.event].slot, c.outcome}; }
  Id event_of(const State& s, Name n) const {
    return n.thread < s.g.thread.size() ? s.g.at_slot(n.thread, n.slot) : none;
  }
  bool is_store(const State& s, const rsmc::Commit& c) const {
    return !c.event.outcome && s.g[event_of(s, c.event)].kind == ActionKind::Write;
  }

  LocalStates& states_;
  const ExploreOptions& options_;
  Results& results_;
  rsmc::Model<W> model_;
  Reporter<G> reporter_;
  std::vector<Frame> frames_;
  Run tau_;
  std::map<Name, Run> P_;
  std::map<Name, std::vector<Run>> Q_;
  std::map<std::pair<Name, Name>, bool> looked_at_; // pairs whose doubt was told
  bool told_ = false;                               // that a graph was too large
};

} // namespace fencepost
