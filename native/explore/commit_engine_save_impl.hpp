// A commit engine as plain numbers; see engine_save_impl.hpp.
#pragma once

#include "explore/commit_engine.hpp"
#include "explore/engine_save_impl.hpp"

namespace fencepost {

namespace detail {

inline void save_path(Writer& out, const LocalState* state) {
  std::vector<std::pair<bool, std::uint64_t>> answers;
  for (; state->parent; state = state->parent)
    answers.emplace_back(state->told, state->answer);
  out.put(answers.size());
  for (auto a = answers.rbegin(); a != answers.rend(); ++a)
    out.put(a->first, a->second);
}

template <unsigned W> void save_set(Writer& out, const Bits<W>& set) {
  out.put(set.count());
  set.each([&](unsigned d) { out.put(d); });
}

template <unsigned W> void save_commit_graph(Writer& out, const SplitGraph<W>& g, Locations& locations) {
  out.put(g.stamps, g.order.size(), g.thread.size());
  for (const auto& th : g.thread)
    out.put(th.begin ? 1 : 0, th.spawned_by, th.halted, th.told, th.slot.size());
  for (const Id e : g.order) {
    const SplitEvent& v = g[e];
    out.put(e, v.value, v.thread, v.slot, v.stamp, v.reads_from, v.co_before, v.co_after, v.pair, v.commit, v.outcome,
            v.write, v.kind, v.mode, v.half, v.stuck, v.failed_cas);
    save_path(out, v.at);
    save_set(out, g.prefix_of(e));
  }
  std::size_t used = 0;
  for (const auto& l : g.location)
    used += l.first != none;
  out.put(used);
  for (Location l = 0; l < g.location.size(); ++l)
    if (g.location[l].first != none)
      out.put(locations.address(l), locations.size(l), g.location[l].first, g.location[l].last);
}

// One event and its prefix; false where it does not fit.
template <unsigned W> bool load_commit_event(Reader& in, SplitGraph<W>& g, LocalStates& states) {
  SplitEvent v;
  Id e = none;
  in.get(e, v.value, v.thread, v.slot, v.stamp, v.reads_from, v.co_before, v.co_after, v.pair, v.commit, v.outcome,
         v.write, v.kind, v.mode, v.half, v.stuck, v.failed_cas);
  const std::size_t threads = g.thread.size();
  if (e < 0 || v.thread >= threads || v.slot >= g.thread[v.thread].slot.size() || !g.thread[v.thread].begin)
    throw DecodeError("a saved event should belong to a thread");
  v.at = g.thread[v.thread].begin;
  for (std::size_t n = in.size(); n > 0; --n) {
    bool told = false;
    std::uint64_t answer = 0;
    in.get(told, answer);
    v.at = told ? states.told(v.at, answer != 0) : states.next(v.at, answer);
  }
  v.location = v.at->location;
  v.hidden = v.half != Half::Whole;
  Bits<W> prefix;
  bool fits = static_cast<unsigned>(e) < Bits<W>::capacity;
  for (std::size_t n = in.size(); n > 0; --n) {
    const std::int64_t d = in.get();
    if (static_cast<std::uint64_t>(d) >= Bits<W>::capacity)
      fits = false;
    else
      prefix.set(static_cast<unsigned>(d));
  }
  if (v.kind == ActionKind::Spawn && v.value < threads) {
    const auto child = static_cast<std::uint32_t>(v.value);
    states.numbers().know(v.thread, v.slot, child);
    g.thread[child].begin = states.first(child, static_cast<std::uint32_t>(v.at->action.value),
                                         states.machine().spawn_arguments(v.at->state));
  }
  if (!fits) return false;
  const auto at = static_cast<std::size_t>(e);
  if (g.event.size() <= at) {
    g.event.resize(at + 1);
    g.prefix.resize(at + 1);
    g.readers.resize(at + 1);
  }
  g[e] = v;
  g.prefix[at] = prefix;
  g.order.push_back(e);
  g.used.set(g.bit(e));
  Id& there = g.thread[v.thread].slot[v.slot];
  if (v.half == Half::Whole || (v.half == Half::Outcome && there == none)) there = e;
  return true;
}

// False where an event does not fit.
template <unsigned W> bool load_commit_graph(Reader& in, SplitGraph<W>& g, LocalStates& states) {
  g = {};
  const Bytecode& p = states.machine().program();
  std::size_t count = 0, threads = 0;
  in.get(g.stamps, count, threads);
  if (threads > layout::max_threads) throw DecodeError("a saved exploration should have fewer threads");
  g.thread.resize(threads);
  std::vector<bool> exists(threads);
  for (std::size_t t = 0; t < threads; ++t) {
    bool begun = false;
    std::size_t slots = 0;
    in.get(begun, g.thread[t].spawned_by, g.thread[t].halted, g.thread[t].told, slots);
    exists[t] = begun;
    g.thread[t].slot.assign(slots, none);
  }
  for (std::uint32_t t = 0; t < p.threads.size() && t < threads; ++t)
    g.thread[t].begin = states.first(t, p.threads[t].function, p.threads[t].args);
  bool fits = true;
  for (std::size_t k = 0; k < count; ++k)
    fits &= load_commit_event(in, g, states);
  for (std::size_t t = 0; t < threads; ++t)
    if (!exists[t]) g.thread[t].begin = nullptr;
  for (std::size_t n = in.size(); n > 0; --n) {
    std::uint64_t address = 0;
    unsigned size = 0;
    in.get(address, size);
    const Location l = states.locations().find(address, size);
    if (l == no_location) throw DecodeError("saved locations should not overlap");
    if (g.location.size() <= l) g.location.resize(l + 1);
    in.get(g.location[l].first, g.location[l].last);
  }
  if (g.location.size() < states.locations().count()) g.location.resize(states.locations().count());
  return fits;
}

} // namespace detail

template <unsigned W> std::vector<std::int64_t> CommitEngine<W>::save() const {
  detail::Writer out;
  out.put(stack_.size() - spare_ + active_);
  for (std::size_t k = 0; k < stack_.size() - spare_; ++k)
    detail::save_commit_graph(out, stack_[k], states_.locations());
  if (active_) detail::save_commit_graph(out, current_, states_.locations());
  return std::move(out.words);
}

template <unsigned W> bool CommitEngine<W>::load(const std::vector<std::int64_t>& saved) {
  detail::Reader in(saved);
  for (std::size_t n = in.size(); n > 0; --n) {
    G& g = fork(G{});
    if (!detail::load_commit_graph(in, g, states_)) return false;
    for (const Id e : g.order) {
      const SplitEvent& v = g[e];
      if (v.is_read()) {
        g.location[v.location].reads.set(g.bit(e));
        if (v.reads_from != none) g.readers_of(v.reads_from, v.location).set(g.bit(e));
      }
      if (v.is_write() && v.co_before != none) g.location[v.location].writes.set(g.bit(e));
      if (v.is_write() && v.pair != none && v.action().rmw) g.updating.set(g.bit(v.pair));
    }
    for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
      if (!g.thread[t].begin) continue;
      const bool halted = g.thread[t].halted;
      g.thread[t].now = g.thread[t].begin;
      pass(g, t);
      g.thread[t].halted |= halted;
    }
  }
  return true;
}

template <unsigned W> std::vector<std::int64_t> CommitEngine<W>::split() {
  if (stack_.size() - spare_ < 2) return {};
  detail::Writer out;
  out.put(1);
  detail::save_commit_graph(out, stack_.front(), states_.locations());
  std::rotate(stack_.begin(), stack_.begin() + 1, stack_.end());
  ++spare_;
  return std::move(out.words);
}

} // namespace fencepost
