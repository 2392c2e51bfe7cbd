// TruSt for models that let events be committed out of program order (POWER, ARMv8, RISC-V, any .cat model): every
// consistent execution exactly once. The algorithm and its proof sketch are in reference/trust_cb.py, line by line.
//
// A stack of graphs that wait to be extended is the whole state of the exploration. An alternative is a copy of the
// graph with one choice made; the canonical choice goes on in place, and needs no check: it is a sink in every
// relation.
#pragma once

#include "explore/engine.hpp"
#include "explore/reporter.hpp"
#include "graph/commit_graph.hpp"
#include "models/commit_structure.hpp"
#include "models/plan_evaluator.hpp"

namespace fencepost {

template <unsigned W> class CommitEngine final : public AnyEngine {
public:
  using Set = Bits<W>;
  using G = CommitGraph<W>;

  CommitEngine(LocalStates& states, const ExploreOptions& options, Results& results, const Plan& plan);

  void begin() override;
  Progress run(const Budget& budget) override;
  std::vector<std::int64_t> save() const override;
  bool load(const std::vector<std::int64_t>& saved) override;
  std::vector<std::int64_t> split() override;

private:
  // --- one graph
  bool extend();
  int movable_thread();
  bool can_move(const G& g, const typename G::Thread& th) const;
  bool faulty(std::uint32_t t);
  bool is_phantom(const G& g) const;
  bool step(std::uint32_t t);
  bool add_read(std::uint32_t t);
  bool add_write(std::uint32_t t);
  bool add_conditional(std::uint32_t t);
  bool add_choice(std::uint32_t t);
  bool add_other(std::uint32_t t);
  Id add_event(G& g, std::uint32_t t);
  void settle_read(G& g, Id r, Id w);
  void pass(G& g, std::uint32_t t);
  void run_again(G& g, std::uint32_t t);
  std::uint64_t answer_of(const CommittedEvent& v) const;
  std::uint64_t value_of(const G& g, Id w, Location l) {
    return w == initial ? states_.locations().initial(l) : g[w].value;
  }

  // --- alternatives
  G& fork(const G& from);
  void keep_if_consistent();
  void place_everywhere(const G& from, Id a, bool canonical_too);
  bool is_floor(const G& g, Id w, Location l, std::uint32_t thread) const;
  bool consistent(const G& g);
  bool consistent_anew(const G& g);
  bool fills_hole(const G& g, std::uint32_t t, std::size_t slot) const;
  void hide_write(G& g, Id a, bool phantom);

  // --- revisits
  void revisit_all(const G& g, Id a);
  bool maximal(const G& g, Id e, Id a) const;
  void revisit(const G& from, Id a, Id r);

  // --- what is found
  void complete();
  void check_memory(const G& g);
  void raise_flags(const G& g);
  void look_for_missing(const G& g);
  void collect_states();

  LocalStates& states_;
  const ExploreOptions& options_;
  Results& results_;
  PlanEvaluator<W> plan_;
  CommitStructure<W> structure_;
  Reporter<G> reporter_;
  std::vector<G> stack_; // graphs to extend; the last `spare_` ones are only memory to use again
  std::size_t spare_ = 0;
  G current_;
  bool active_ = false, full_ = false;
  std::uint64_t tick_ = 1; // over all calls of run
};

} // namespace fencepost
