// SC, TSO and PSO: one acyclic order over all threads. A new event can only close a cycle through itself, so it is
// enough to walk backwards from it. Edges are never stored: they follow from po, rf and the coherence list.
#pragma once

#include "graph/graph.hpp"
#include "models/model.hpp"
#include "models/rows.hpp"

#include <vector>

namespace fencepost {

template <unsigned W> class GlobalOrder {
public:
  explicit GlobalOrder(Model model) : model_(model) {}

  // Whether the order has a cycle through e.
  bool cyclic(const Graph<W>& g, Id e) {
    seen_.clear();
    todo_.clear();
    target_ = e;
    if (push_predecessors(g, e)) return true;
    while (!todo_.empty()) {
      const Id x = todo_.back();
      todo_.pop_back();
      if (push_predecessors(g, x)) return true;
    }
    return false;
  }

private:
  // Each of these answers true where it meets the target.
  bool push(Id x) {
    if (x == target_) return true;
    if (x < 0 || seen_.test(static_cast<unsigned>(x))) return false;
    seen_.set(static_cast<unsigned>(x));
    todo_.push_back(x);
    return false;
  }

  bool push_predecessors(const Graph<W>& g, Id x) {
    const Event& v = g[x];
    if (model_ == Model::Sc ? push(predecessor(g, x)) : push_preserved(g, x)) return true;
    if (v.joined != none && push_ended(g, v.joined)) return true;
    if (v.is_read() && v.reads_from >= 0 && (model_ == Model::Sc || g[v.reads_from].thread != v.thread))
      return push(v.reads_from);
    if (v.is_write() && v.co_before != none) {
      if (push(v.co_before)) return true;
      return g.readers_of(v.co_before, v.location).some([&](unsigned r) {
        return static_cast<Id>(r) != v.po_before && push(static_cast<Id>(r));
      });
    }
    return false;
  }

  // A thread that has ended has no write of its own left in a buffer.
  bool push_ended(const Graph<W>& g, Id last) {
    for (Id d = last; d != none; d = g[d].po_before)
      if (push(d)) return true;
    return push(g.thread[g[last].thread].spawned_by);
  }

  static bool plain_write(const Event& v) { return v.is_write() && !v.at->action.rmw; }
  static bool plain_read(const Event& v) { return v.is_read() && !updates(v.at->action.part); }

  // Fences that this model does not know order nothing.
  bool transparent(const Event& v) const {
    return v.is_fence() && !full_fence(v.at->action.fence) && !orders_stores(v);
  }
  bool orders_stores(const Event& v) const { return model_ == Model::Pso && store_fence(v.at->action.fence); }

  // Program order as far as the model keeps it: the nearest events that come before x and imply the others. A plain
  // write is not kept before a later plain read, and under PSO not before a later plain write.
  bool push_preserved(const Graph<W>& g, Id x) {
    const Event& v = g[x];
    const bool keeps_writes = !(plain_read(v) || (model_ == Model::Pso && plain_write(v)));
    bool read_seen = false;
    for (Id d = v.po_before; d != none; d = g[d].po_before) {
      const Event& u = g[d];
      if (transparent(u)) continue;
      if (plain_write(u)) {
        if (!keeps_writes) continue;
        if (push(d)) return true;
        if (model_ == Model::Tso) return false;
      } else if (plain_read(u)) {
        if (!read_seen && push(d)) return true;
        read_seen = true;
        if (!keeps_writes) return false;
      } else {
        if (u.is_fence() && !full_fence(u.at->action.fence) && !plain_write(v)) continue; // orders writes only
        return push(d);
      }
    }
    return push(g.thread[v.thread].spawned_by);
  }

  Model model_;
  Id target_ = none;
  Bits<W> seen_;
  std::vector<Id> todo_;
};

} // namespace fencepost
