// An execution graph as reports see it, whatever its events and rows are. Every call is virtual: this is for what is
// asked a few times in an execution at most, and is compiled once instead of once for each kind of graph and row.
#pragma once

#include "graph/coherence.hpp"

namespace fencepost {

class AnyGraph {
public:
  struct Event {
    const LocalState* at;
    std::uint64_t value;
    std::uint32_t thread, index; // its index in program order
    Location location;
    Id reads_from, co_before, co_after;
    ActionKind kind;
    Mode mode;
    bool read, write;
    bool shown; // it exists for the outside

    const Action& action() const { return at->action; }
  };
  struct Thread {
    const LocalState* now; // null while it does not exist
    Id spawned_by;
    bool stopped; // an error or a bound ended it
  };

  virtual Event operator[](Id e) const = 0;
  virtual const std::vector<Id>& order() const = 0; // by stamp
  virtual std::size_t numbers() const = 0;          // those of events are below
  virtual std::size_t threads() const = 0;
  virtual Thread thread(std::size_t t) const = 0;
  virtual std::vector<Id> order_of(std::uint32_t t) const = 0; // by program order; `none` where one is missing
  virtual bool updates(Id e) const = 0;                        // whether it belongs to a read-modify-write that writes
  virtual Id joined(Id e) const = 0;                           // the last event of the thread that a Join waited for
  virtual std::size_t locations() const = 0;
  virtual Id first(Location l) const = 0; // in coherence, `none` where nobody writes
  virtual Id final_write(Location l, bool coherence) const = 0;

protected:
  ~AnyGraph() = default;
};

// The coherence-last write; without a coherence order one that nothing is known to follow, the last thread's first.
template <class G> Id final_write_of(const G& g, Location l, bool coherence) {
  Id found = g.location[l].last;
  if (coherence) return found;
  const auto less = [&](Id v, Id w) {
    const auto before_v = (g.prefix_of(v) & g.location[l].writes).count();
    const auto before_w = (g.prefix_of(w) & g.location[l].writes).count();
    if (before_v != before_w) return before_v < before_w;
    if (g[v].thread != g[w].thread) return g[v].thread < g[w].thread;
    return g.index_of(v) < g.index_of(w);
  };
  for (Id w = g.location[l].first; w != none; w = g[w].co_after)
    if (less(found, w)) found = w;
  return found;
}

template <class G> class ViewOf final : public AnyGraph {
public:
  explicit ViewOf(const G& g) : g_(g) {}

  Event operator[](Id e) const override {
    const auto& v = g_[e];
    return {v.at,       v.value, v.thread, g_.index_of(e), v.location,   v.reads_from, v.co_before,
            v.co_after, v.kind,  v.mode,   v.is_read(),    v.is_write(), g_.shown(e)};
  }
  const std::vector<Id>& order() const override { return g_.order; }
  std::size_t numbers() const override { return g_.event.size(); }
  std::size_t threads() const override { return g_.thread.size(); }
  Thread thread(std::size_t t) const override {
    FP_ASSERT(t < threads(), "a thread that is asked for should have a number");
    return {g_.thread[t].now, g_.thread[t].spawned_by, g_.stopped(static_cast<std::uint32_t>(t))};
  }
  std::vector<Id> order_of(std::uint32_t t) const override { return g_.order_of(t); }
  bool updates(Id e) const override { return g_.updates(e); }
  Id joined(Id e) const override { return g_.joined(e); }
  std::size_t locations() const override { return g_.location.size(); }
  Id first(Location l) const override { return g_.location[l].first; }
  Id final_write(Location l, bool coherence) const override { return final_write_of(g_, l, coherence); }

private:
  const G& g_;
};

} // namespace fencepost
