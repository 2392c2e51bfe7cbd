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
    FP_ASSERT(global_order(model_), "only a model with one order should be asked for it");
    FP_ASSERT(g.used.test(g.bit(e)), "an event that is judged should be there");
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

  // Calls f for the events that come before x by program order (as far as the model keeps it), by joining, and by
  // reading: the nearest ones, which imply the others. True where f is true for one; the rest is then left out.
  template <class F> bool each_in_program(const Graph<W>& g, Id x, F&& f) const {
    const Event& v = g[x];
    if (model_ == Model::Sc ? f(predecessor(g, x)) : each_preserved(g, x, f)) return true;
    if (v.joined != none && each_until(g, g[v.joined].thread, v.joined, f)) return true;
    return v.is_read() && v.reads_from >= 0 && (model_ == Model::Sc || g[v.reads_from].thread != v.thread) &&
           f(v.reads_from);
  }

private:
  // True where it meets the target.
  bool push(Id x) {
    if (x == target_) return true;
    if (x < 0 || seen_.test(static_cast<unsigned>(x))) return false;
    seen_.set(static_cast<unsigned>(x));
    todo_.push_back(x);
    return false;
  }

  bool push_predecessors(const Graph<W>& g, Id x) {
    const Event& v = g[x];
    FP_ASSERT(!v.waiting, "a marker should be in no order");
    if (each_in_program(g, x, [&](Id d) { return push(d); })) return true;
    if (v.is_write() && v.co_before != none) {
      if (push(v.co_before)) return true;
      return g.readers_of(v.co_before, v.location).some([&](unsigned r) {
        return static_cast<Id>(r) != v.po_before && push(static_cast<Id>(r));
      });
    }
    return false;
  }

  // A thread that has ended has no write of its own left in a buffer, and one that starts another neither.
  template <class F> static bool each_until(const Graph<W>& g, std::uint32_t thread, Id last, F&& f) {
    for (Id d = last; d != none; d = g[d].po_before)
      if (f(d)) return true;
    return f(g.thread[thread].spawned_by);
  }

  static bool plain_write(const Event& v) { return v.is_write() && !v.at->action.rmw; }
  static bool plain_read(const Event& v) { return v.is_read() && !updates(v.at->action.part); }
  bool orders_stores(FenceKind fence) const { return model_ == Model::Pso && store_fence(fence); }

  // Program order as far as the model keeps it: the nearest events that come before x and imply the others. A plain
  // write is not kept before a later plain read, and under PSO not before a later plain write, without a fence.
  template <class F> bool each_preserved(const Graph<W>& g, Id x, F&& f) const {
    const Event& v = g[x];
    if (v.kind == ActionKind::Spawn) return each_until(g, v.thread, v.po_before, f);
    if (v.kind == ActionKind::Join) return false;
    bool keeps_writes = !(plain_read(v) || (model_ == Model::Pso && plain_write(v)));
    bool read_seen = false;
    for (Id d = v.po_before; d != none; d = g[d].po_before) {
      const Event& u = g[d];
      if (u.is_fence()) {
        const FenceKind fence = u.at->action.fence;
        keeps_writes |= full_fence(fence) || (orders_stores(fence) && plain_write(v));
      } else if (plain_write(u)) {
        if (!keeps_writes) continue;
        if (f(d)) return true;
        if (model_ == Model::Tso) return false;
      } else if (plain_read(u)) {
        if (!read_seen && f(d)) return true;
        read_seen = true;
        if (plain_read(v) && !keeps_writes) return false; // a fence further back orders what is before that read
      } else if (u.kind == ActionKind::Join) {
        if (f(d)) return true;
      } else if (u.is_read() || u.is_write()) {
        return f(d);
      }
    }
    return f(g.thread[v.thread].spawned_by);
  }

  Model model_;
  Id target_ = none;
  Bits<W> seen_;
  std::vector<Id> todo_;
};

} // namespace fencepost
