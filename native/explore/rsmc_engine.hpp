// RSMC (Abdulla, Atig, Jonsson, Leonardsson, CAV 2016, Fig. 7): every trace of the derived execution model, with runs
// that block. The names are the paper's; the recursion is a stack of frames, so that it can pause. It cannot be saved
// or shared: a template belongs to the run that made it. The slow twin is reference/rsmc.py.
#pragma once

#include "explore/engine.hpp"
#include "explore/rsmc_model.hpp"

#include <map>

namespace fencepost {

class RsmcEngine final : public AnyEngine {
public:
  RsmcEngine(LocalStates& states, const ExploreOptions& options, Results& results);

  void begin() override { explore(model_.first()); }
  Progress run(const Budget& budget) override;
  std::vector<std::int64_t> save() const override { return {}; }
  bool load(const std::vector<std::int64_t>&) override { return begin(), true; }
  std::vector<std::int64_t> split() override { return {}; }

private:
  using State = rsmc::State;
  using Name = rsmc::Name;
  using Run = rsmc::Run;
  using Set = rsmc::Set;

  // A call of Explore, or of Traverse where `traverses`.
  struct Frame {
    State sigma;
    std::vector<Set> order;                  // cb of sigma
    std::size_t depth = 0;                   // the length of τ
    Id e = none;                             // the event to commit
    std::vector<rsmc::Successor> successors; // one per parameter
    std::size_t next = 0;
    std::size_t explored = 0; // Explore, a load: how many templates of Q[e] were taken
    bool traverses = false;
    Run rest; // Traverse: what is left of the template, without e
  };

  void explore(State&& sigma);
  void traverse(State&& sigma, const Run& tau);
  void step();
  void finish(Frame& f);
  bool next_template(Frame& f);
  void detect_race(const Frame& f);
  Run cut(const Run& tau, std::size_t from, const Set& before, const State& sigma) const;
  Run normalize(const Run& prefix, const Run& tau, const Frame& f) const;
  bool is_faulty(State& sigma);
  void report(State& sigma);
  Name name_of(const State& s, Id e) const { return {s.g[e].thread, s.g[e].slot}; }
  Id event_of(const State& s, Name n) const { return s.g.at_slot(n.thread, n.slot); }

  LocalStates& states_;
  const ExploreOptions& options_;
  Results& results_;
  rsmc::Model model_;
  Reporter<rsmc::G> reporter_;
  std::vector<Frame> frames_;
  Run tau_;
  std::map<Name, Run> P_;
  std::map<Name, std::vector<Run>> Q_;
  bool told_ = false; // that a graph was too large
};

} // namespace fencepost
