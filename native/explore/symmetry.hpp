// Identical threads: one execution of each orbit under renaming them (docs/how/reductions.md has the rules and why they
// lose nothing). Threads are kin where they run the same function on the same arguments, the function uses nothing that
// tells its threads apart, and they exist from the start or were started in a row.
//
// For kin i < j let n be the number of leading events on which they agree. A graph is canonical unless the n-th event
// of j must come before that of i. What must be there before an event is closed under: with the n-th event of j comes
// that of i, where they agree on all events before.
#pragma once

#include "explore/options.hpp"
#include "graph/graph.hpp"
#include "models/model.hpp"
#include "models/rows.hpp"

#include <algorithm>
#include <vector>

namespace fencepost {

template <unsigned W> class Symmetry {
public:
  using Set = Bits<W>;

  Symmetry(LocalStates& states, const ExploreOptions& options, bool possible)
      : states_(states), options_(options), by_coherence_(options.model == Model::Sc || options.model == Model::Tso),
        on_(possible && !options.anonymous.empty() && !without_coherence(options.model)) {}

  bool on() const { return on_; }

  // Who is kin of the threads that exist from the start.
  void begin(Graph<W>& g) const {
    const Bytecode& p = states_.machine().program();
    for (std::uint32_t t = 0; on_ && t < p.threads.size(); ++t) {
      const auto observed = [&](const Observation& o) { return !o.memory && o.where == t; };
      if (anonymous(p.threads[t].function) < 0 || std::any_of(p.observations.begin(), p.observations.end(), observed))
        continue;
      g.thread[t].kin = static_cast<std::int32_t>(t);
      for (std::uint32_t u = 0; u < t; ++u)
        if (g.thread[u].kin >= 0 && p.threads[u].function == p.threads[t].function &&
            same(p.threads[t].function, p.threads[u].args, p.threads[t].args)) {
          g.thread[t].kin = g.thread[u].kin;
          break;
        }
    }
  }

  // The same for a thread that Spawn e has just started.
  void spawned(Graph<W>& g, Id e) const {
    if (!on_) return;
    FP_ASSERT(g[e].kind == ActionKind::Spawn, "only a start of a thread should make kin");
    FP_ASSERT(g[e].value < g.thread.size(), "who is started should have a number");
    const auto function = static_cast<std::uint32_t>(g[e].at->action.value);
    auto& child = g.thread[g[e].value];
    if (anonymous(function) < 0) return;
    child.kin = static_cast<std::int32_t>(g[e].value);
    const Id d = g[e].po_before;
    if (d == none || g[d].kind != ActionKind::Spawn || g[d].at->action.value != function) return;
    if (same(function, states_.machine().spawn_arguments(g[d].at->state),
             states_.machine().spawn_arguments(g[e].at->state)))
      child.kin = g.thread[g[d].value].kin;
  }

  // Whether no renaming must be preferred. pre: e was just added or has just got another source or place; without e the
  // graph is canonical.
  bool canonical(const Graph<W>& g, Id e) const {
    const Event& v = g[e];
    FP_ASSERT(!v.is_marker(), "a marker should not be compared with kin");
    const std::int32_t kin = on_ ? g.thread[v.thread].kin : -1;
    if (kin < 0) return true;
    for (std::uint32_t u = 0; u < g.thread.size(); ++u) {
      if (u == v.thread || g.thread[u].kin != kin) continue;
      const Id x = event_at(g, u, v.index);
      if (x == none || !agree_before(g, x, e)) continue;
      if (u < v.thread ? must_be_first(g, e, x) : must_be_first(g, x, e)) return false;
    }
    return true;
  }

  // What must be there before write a, for revisits.
  Set prefix(const Graph<W>& g, Id a) const {
    Set set = g.prefix_of(a);
    if (!on_ || !has_kin(g)) return set;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t j = 0; j < g.thread.size(); ++j) {
        if (g.thread[j].kin < 0) continue;
        const Id last = j == g[a].thread ? a : last_in(g, j, set);
        for (std::uint32_t i = 0; last != none && i < j; ++i)
          if (g.thread[i].kin == g.thread[j].kin) changed |= add_earlier(g, i, last, set);
      }
    }
    set.reset(g.bit(a));
    FP_ASSERT(!(set - g.used).any(), "what must be there before a write should be there");
    return set;
  }

  // Whether all kin of a thread have ended, where somebody joins it: joins in a row are one event.
  template <class F> bool all_kin(const Graph<W>& g, std::uint32_t t, F&& holds) const {
    if (!on_ || g.thread[t].kin < 0) return true;
    return std::all_of(g.thread.begin(), g.thread.end(),
                       [&](const auto& th) { return th.kin != g.thread[t].kin || holds(th); });
  }

  // How many executions this one stands for; 0 where it may not be the only one of its orbit that is visited.
  std::uint64_t orbit(const Graph<W>& g) const {
    if (!has_kin(g)) return 1;
    std::uint64_t size = 1;
    std::vector<bool> done(g.thread.size());
    for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
      if (g.thread[t].kin < 0 || done[t]) continue;
      std::uint64_t members = 0;
      std::vector<std::uint32_t> before;
      for (std::uint32_t u = t; u < g.thread.size(); ++u) {
        if (g.thread[u].kin != g.thread[t].kin) continue;
        done[u] = true;
        std::uint64_t alike = 1;
        for (const std::uint32_t i : before) {
          const Order order = compare(g, i, u);
          if (order == Order::Unknown) return 0;
          alike += order == Order::Alike;
        }
        before.push_back(u);
        FP_ASSERT(alike <= members + 1, "no more kin should be alike than there are");
        size = size * ++members / alike; // k! over the factorials of the numbers of threads that are alike
      }
    }
    return size;
  }

private:
  // Whether two threads are kin. Each has the number of the first of them.
  static bool has_kin(const Graph<W>& g) {
    for (std::uint32_t t = 0; t < g.thread.size(); ++t)
      if (g.thread[t].kin >= 0 && g.thread[t].kin != static_cast<std::int32_t>(t)) return true;
    return false;
  }

  enum class Order : std::uint8_t { Alike, First, Unknown };

  // Which arguments of a function matter, as a bit set; negative where its threads can tell themselves apart.
  std::int64_t anonymous(std::uint32_t function) const {
    return function < options_.anonymous.size() ? options_.anonymous[function] : -1;
  }

  bool same(std::uint32_t function, const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) const {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k)
      if (a[k] != b[k] && (k >= 62 || (anonymous(function) >> k & 1))) return false;
    return true;
  }

  static Id event_at(const Graph<W>& g, std::uint32_t t, std::uint32_t index) {
    Id x = g.thread[t].last;
    if (x == none || g[x].index < index) return none;
    while (g[x].index > index)
      x = g[x].po_before;
    return x;
  }

  static Id last_in(const Graph<W>& g, std::uint32_t t, const Set& set) {
    Id x = g.thread[t].last;
    while (x != none && !set.test(g.bit(x)))
      x = g[x].po_before;
    return x;
  }

  static bool agree(const Event& x, const Event& y) {
    if (x.at->action.barrier && y.at->action.barrier) return x.kind == y.kind && x.location == y.location;
    if (x.kind != y.kind || x.is_write()) return false;
    if (x.is_read()) return x.location == y.location && x.reads_from == y.reads_from;
    return x.kind != ActionKind::Choose || x.value == y.value;
  }

  // Whether all events before x and y agree. pre: they have the same index.
  static bool agree_before(const Graph<W>& g, Id x, Id y) {
    FP_ASSERT(g[x].index == g[y].index, "events that are compared should have the same index");
    for (x = g[x].po_before, y = g[y].po_before; x != none; x = g[x].po_before, y = g[y].po_before)
      if (!agree(g[x], g[y])) return false;
    return true;
  }

  static bool coherence_before(const Graph<W>& g, Id d, Id w) {
    for (Id x = g[d].co_after; x != none; x = g[x].co_after)
      if (x == w) return true;
    return false;
  }

  bool before(const Graph<W>& g, Id d, Id w) const {
    if (d == w || w == initial) return false;
    if (d == initial) return true;
    return coherence_before(g, d, w) && (by_coherence_ || g.prefix_of(w).test(g.bit(d)));
  }

  // Whether b, of a thread with kin that stands at a, must come first.
  bool must_be_first(const Graph<W>& g, Id b, Id a) const {
    const Event &x = g[b], &y = g[a];
    if (x.kind != y.kind || x.at->action.barrier) return false;
    if (x.kind == ActionKind::Choose) return static_cast<std::int64_t>(x.value) > static_cast<std::int64_t>(y.value);
    if (x.location == no_location || x.location != y.location) return false;
    if (x.is_read()) return before(g, x.reads_from, y.reads_from);
    return x.is_write() && by_coherence_ && coherence_before(g, b, a);
  }

  // Adds what thread i has up to `last` of its kin j, as far as they agree; whether that is something new.
  static bool add_earlier(const Graph<W>& g, std::uint32_t i, Id last, Set& set) {
    std::vector<Id> mine, theirs;
    for (Id x = g.thread[i].last; x != none; x = g[x].po_before)
      mine.push_back(x);
    for (Id x = last; x != none; x = g[x].po_before)
      theirs.push_back(x);
    std::reverse(mine.begin(), mine.end());
    std::reverse(theirs.begin(), theirs.end());
    std::size_t n = 0;
    while (n < mine.size() && n < theirs.size() && agree(g[mine[n]], g[theirs[n]]))
      ++n;
    const std::size_t end = std::min(n + 1, std::min(mine.size(), theirs.size()));
    if (end == 0) return false;
    FP_ASSERT(end <= mine.size() && end <= theirs.size(), "kin should be compared on events that both have");
    Id e = mine[end - 1];
    if (g[e].is_read() && g[e].po_after != none && g[g[e].po_after].is_update()) e = g[e].po_after; // one with its read
    if (set.test(g.bit(e))) return false;
    add_with_prefix(set, g.prefix, e);
    return true;
  }

  Order compare(const Graph<W>& g, std::uint32_t i, std::uint32_t j) const {
    const auto mine = g.order_of(i), theirs = g.order_of(j);
    std::size_t n = 0;
    while (n < mine.size() && n < theirs.size() && agree(g[mine[n]], g[theirs[n]]))
      ++n;
    if (n == mine.size() && n == theirs.size()) return Order::Alike;
    if (n == mine.size() || n == theirs.size()) return Order::Unknown;
    return must_be_first(g, mine[n], theirs[n]) ? Order::First : Order::Unknown;
  }

  LocalStates& states_;
  const ExploreOptions& options_;
  const bool by_coherence_, on_;
};

} // namespace fencepost
