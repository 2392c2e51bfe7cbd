// RCMC (Kokologiannakis, Lahav, Sagonas, Vafeiadis, POPL 2018, Algorithms 1 to 5): every execution of RC11 or WRC11,
// some of them more than once where there are read-modify-writes or SC accesses (§4.6). The names and the line numbers
// are the paper's; the slow twin is reference/rcmc.py, which says how one line differs from what is printed.
//
// A configuration is a graph with the set T of reads that may still be revisited. Recursion is a stack of
// configurations; the first alternative is taken in place. It cannot be saved or shared: that is TruSt's business.
#pragma once

#include "explore/engine.hpp"

namespace fencepost {

template <unsigned W> class RcmcEngine final : public AnyEngine {
public:
  RcmcEngine(LocalStates& states, const ExploreOptions& options, Results& results);

  void begin() override;
  Progress run(const Budget& budget) override;
  std::vector<std::int64_t> save() const override { return {}; }
  // A narrower engine was full: everything anew.
  bool load(const std::vector<std::int64_t>&, const Budget& = {}) override { return results_ = {}, begin(), true; }
  std::vector<std::int64_t> split() override { return {}; }

private:
  using Set = Bits<W>;
  using G = Graph<W>;

  struct Configuration {
    G graph;
    Set revisitable;       // T
    std::vector<Id> fresh; // accesses that nobody has looked at
  };

  // --- Algorithm 1
  void visit(const Budget& budget);
  int next_p() const;
  bool can_move(const typename G::Thread& th) const;
  bool faulty(std::uint32_t t);
  void visit_other(Id e);
  void finish();

  // --- Algorithm 2
  void visit_read(Id r);
  std::vector<Id> sources(Id r);
  Id first_source(Id r, const std::vector<Id>& coherent) const;
  bool reads_exclusively(const G& g, Id r, Id w) const;
  bool taken(Id r, Id w) const;
  void read(G& g, Id r, Id w) const;
  static void unread(G& g, Id r);

  // --- Algorithm 3
  void visit_write(Id w);
  void visit_places(Id w, Id last);

  // --- Algorithms 4 and 5
  void revisit_reads(Configuration& c, Id w);
  bool comes_too_late(const G& g, Id r, Id w) const;
  Set must_revisit(const G& g, Id w) const;
  void choose(const Configuration& c, Id w, const Set& must, std::vector<Id> left, std::vector<Id>& k1, bool exclusive);
  Configuration revisited(const Configuration& c, Id w, const std::vector<Id>& k1, const Set& must) const;
  static Set after(const G& g, const Set& events);
  static void remove(G& g, const Set& gone);

  Set exclusive_reads() const;
  bool sc_consistent();
  bool wait_for_ever();
  void judge_access(Id e);
  void collect_states();
  std::uint64_t value_of(const G& g, Id w, Location l) const {
    return w == initial ? states_.locations().initial(l) : g[w].value;
  }
  G& graph() { return now_.graph; }
  const G& graph() const { return now_.graph; }

  LocalStates& states_;
  const ExploreOptions& options_;
  Results& results_;
  Reporter<G> reporter_;
  WeakOrder<W> weak_;
  PartialSc<W, Coherence<W>> psc_;
  Coherence<W> coherence_;
  const bool weakly_, looks_at_accesses_;
  Configuration now_;
  std::vector<Configuration> stack_; // what is still to be visited
  bool full_ = false;
};

} // namespace fencepost
