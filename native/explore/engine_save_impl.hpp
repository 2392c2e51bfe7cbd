// An exploration as plain numbers: what saving, resuming, widening and sharing work are made of. Rows and thread states
// are not saved: they follow from the rest.
#pragma once

#include "explore/engine.hpp"

#include <algorithm>

namespace fencepost {

namespace detail {

class Writer {
public:
  template <class... T> void put(T... values) { (put_word(static_cast<std::int64_t>(values)), ...); }
  std::vector<std::int64_t> words;

private:
  // Not inline, as `get` below: there are hundreds of calls, for each width of rows.
  [[gnu::noinline]] void put_word(std::int64_t word) { words.push_back(word); }
};

// Throws DecodeError where the numbers end too early.
class Reader {
public:
  explicit Reader(const std::vector<std::int64_t>& words) : words_(words) {}
  [[gnu::noinline]] std::int64_t get() {
    if (at_ >= words_.size()) throw DecodeError("a saved exploration should not end here");
    return words_[at_++];
  }
  template <class... T> void get(T&... values) { ((values = static_cast<T>(get())), ...); }
  [[gnu::noinline]] std::size_t size() {
    const std::int64_t n = get();
    if (n < 0 || static_cast<std::size_t>(n) > words_.size()) throw DecodeError("a saved size should be possible");
    return static_cast<std::size_t>(n);
  }
  std::size_t words() const { return words_.size(); }

private:
  const std::vector<std::int64_t>& words_;
  std::size_t at_ = 0;
};

template <unsigned W> void save_graph(Writer& out, const Graph<W>& g, Locations& locations) {
  out.put(g.stamps, g.order.size());
  for (const Id e : g.order) {
    const Event& v = g[e];
    out.put(e, v.value, v.thread, v.index, v.stamp, v.reads_from, v.po_before, v.co_before, v.co_after, v.joined,
            v.waited, v.kind, v.mode, v.waiting, v.pinned, v.location == no_location ? 0 : 1);
    if (v.location != no_location) out.put(locations.address(v.location), locations.size(v.location));
  }
  out.put(g.thread.size());
  for (const auto& th : g.thread) {
    out.put(th.now ? 1 : 0, th.last, th.spawned_by, th.waits, th.stuck);
  }
  std::size_t used = 0;
  for (const auto& l : g.location)
    used += l.first != none;
  out.put(used);
  for (Location l = 0; l < g.location.size(); ++l)
    if (g.location[l].first != none)
      out.put(locations.address(l), locations.size(l), g.location[l].first, g.location[l].last);
}

} // namespace detail

template <unsigned W> std::vector<std::int64_t> Engine<W>::save() const {
  detail::Writer out;
  out.put(depth_ + 1, descend_);
  for (std::size_t k = 0; k <= depth_; ++k)
    detail::save_graph(out, *graphs_[k], states_.locations());
  out.put(frames_.size());
  for (const Frame& f : frames_) {
    out.put(f.kind, f.applied, f.last_resort, f.revisiting, f.given, f.thread, f.event, f.cursor, f.waited, f.revisited,
            f.choice, f.high, f.revisits.count());
    f.revisits.each([&](unsigned r) { out.put(r); });
  }
  return std::move(out.words);
}

// Rebuilds one graph; false where its events do not fit W words.
template <unsigned W> bool Engine<W>::load_graph(detail::Reader& in, Graph<W>& g) {
  g = {};
  Locations& places = states_.locations();
  const auto place = [&]() {
    std::uint64_t address = 0;
    unsigned size = 0;
    in.get(address, size);
    const Location l = places.find(address, size);
    if (l == no_location) throw DecodeError("saved locations should not overlap");
    if (g.location.size() <= l) g.location.resize(l + 1);
    return l;
  };
  bool fits = true;
  in.get(g.stamps);
  const std::size_t count = in.size();
  for (std::size_t k = 0; k < count; ++k) {
    Event v;
    Id e = none;
    bool has_place = false;
    in.get(e, v.value, v.thread, v.index, v.stamp, v.reads_from, v.po_before, v.co_before, v.co_after, v.joined,
           v.waited, v.kind, v.mode, v.waiting, v.pinned, has_place);
    if (has_place) v.location = place();
    if (e < 0) throw DecodeError("a saved event should have a number");
    FP_REQUIRE(v.stamp < g.stamps, "a saved stamp should have been given out");
    FP_REQUIRE(g.order.empty() || !fits || g[g.order.back()].stamp < v.stamp, "saved stamps should increase");
    FP_REQUIRE(!has_place || v.location != no_location, "a saved access should have a location");
    fits &= static_cast<unsigned>(e) < Set::capacity;
    if (!fits) continue;
    while (g.event.size() <= static_cast<std::size_t>(e)) {
      const Id fresh = g.take_number(own_hb_);
      g.give_number_back(fresh);
      g.used.set(g.bit(fresh));
    }
    g[e] = v;
    g.order.push_back(e);
  }
  g.used.clear();
  for (const Id e : g.order)
    g.used.set(g.bit(e));
  g.thread.resize(in.size());
  std::vector<bool> exists(g.thread.size());
  for (std::size_t t = 0; t < g.thread.size(); ++t) {
    bool now = false;
    in.get(now, g.thread[t].last, g.thread[t].spawned_by, g.thread[t].waits, g.thread[t].stuck);
    exists[t] = now;
  }
  const std::size_t used = in.size();
  for (std::size_t k = 0; k < used; ++k) {
    const Location l = place();
    in.get(g.location[l].first, g.location[l].last);
  }
  if (fits) rebuild(g, exists);
  FP_ASSERT(!fits || g.order.size() == g.used.count(), "each saved event should be there once");
  return fits;
}

// Recomputes thread states, membership sets and rows. A thread state needs the spawner's, a row its predecessors'.
template <unsigned W> void Engine<W>::rebuild(Graph<W>& g, const std::vector<bool>& exists) {
  const Bytecode& p = states_.machine().program();
  std::vector<std::vector<Id>> po(g.thread.size());
  for (std::size_t t = 0; t < g.thread.size(); ++t) {
    for (Id e = g.thread[t].last; e != none; e = g[e].po_before) {
      FP_REQUIRE(g.used.test(g.bit(e)) && po[t].size() < g.order.size(), "a saved thread should be made of its events");
      po[t].push_back(e);
    }
    std::reverse(po[t].begin(), po[t].end());
    for (std::size_t k = 0; k + 1 < po[t].size(); ++k)
      g[po[t][k]].po_after = po[t][k + 1];
  }
  std::vector<std::size_t> done(g.thread.size());
  for (std::size_t t = 0; t < p.threads.size(); ++t)
    g.thread[t].now = states_.first(static_cast<std::uint32_t>(t), p.threads[t].function, p.threads[t].args);
  symmetry_.begin(g);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t t = 0; t < g.thread.size(); ++t) {
      auto& th = g.thread[t];
      if (!exists[t]) continue;
      FP_REQUIRE(po[t].size() <= g.order.size(), "a saved thread should not go round");
      for (; th.now && done[t] < po[t].size(); ++done[t], moved = true) {
        const Id e = po[t][done[t]];
        Event& v = g[e];
        v.at = th.now;
        FP_REQUIRE(v.kind == th.now->action.kind, "a saved event should be what its thread does");
        if (v.kind == ActionKind::Spawn) {
          const auto child = static_cast<std::uint32_t>(v.value);
          FP_REQUIRE(child < g.thread.size(), "a saved thread should have its number");
          states_.numbers().know(v.thread, earlier_spawns(g, e), child);
          const auto args = states_.machine().spawn_arguments(v.at->state);
          g.thread[child].now = states_.first(child, static_cast<std::uint32_t>(v.at->action.value), args);
          symmetry_.spawned(g, e);
        }
        if (v.is_read() && (v.pinned || v.reads_from == none)) continue; // it waits, or tries its sources
        th.now = states_.next(th.now, v.is_write() ? 0 : v.value);
      }
    }
  }
  for (const Id e : g.order) {
    Event& v = g[e];
    if (v.waiting) {
      v.at = v.index < po[v.thread].size() ? g[po[v.thread][v.index]].at : g.thread[v.thread].now;
      continue;
    }
    g.thread[v.thread].events.set(g.bit(e));
    if (v.location != no_location && g.location.size() <= v.location) g.location.resize(v.location + 1);
    if (v.is_read()) g.location[v.location].reads.set(g.bit(e));
    if (v.is_read() && v.reads_from != none) g.readers_of(v.reads_from, v.location).set(g.bit(e));
    if (v.is_write() && v.co_before != none) g.location[v.location].writes.set(g.bit(e));
  }
  rebuild_rows(g);
  for (const auto& th : g.thread) {
    if (!th.now || th.last == none) continue;
    const Event& v = g[th.last];
    if (v.is_write() || (v.is_read() && !v.pinned && v.reads_from != none)) stop_after_attempt(th.last);
  }
}

template <unsigned W> void Engine<W>::rebuild_rows(Graph<W>& g) {
  Set ready;
  for (std::size_t left = g.order.size(), before = left + 1; left && left < before;) {
    before = left;
    left = 0;
    for (const Id e : g.order) {
      const Event& v = g[e];
      if (v.waiting || ready.test(g.bit(e))) continue;
      const auto known = [&](Id d) { return d < 0 || ready.test(g.bit(d)); };
      if (!known(predecessor(g, e)) || !known(v.reads_from) || !known(v.joined)) {
        ++left;
        continue;
      }
      compute_rows(g, e, options_.model);
      ready.set(g.bit(e));
    }
  }
}

template <unsigned W> bool Engine<W>::load(const std::vector<std::int64_t>& saved, const Budget& budget) {
  detail::Reader in(saved);
  const std::size_t levels = in.size();
  if (levels == 0) throw DecodeError("a saved exploration should have a graph");
  const Bytecode& p = states_.machine().program();
  if (!p.threads.empty())
    states_.first(0, p.threads[0].function, p.threads[0].args); // locations begin with its prologue
  in.get(descend_);
  for (std::size_t k = 0; k < levels; ++k) {
    use_level(k);
    if (!load_graph(in, graph()) || budget.spent()) return false;
  }
  frames_.resize(in.size());
  for (Frame& f : frames_) {
    f = {};
    in.get(f.kind, f.applied, f.last_resort, f.revisiting, f.given, f.thread, f.event, f.cursor, f.waited, f.revisited,
           f.choice, f.high);
    for (std::size_t n = in.size(); n > 0; --n) {
      const std::int64_t r = in.get();
      FP_REQUIRE(r >= 0 && static_cast<std::uint64_t>(r) < Set::capacity, "a saved revisit should be of an event");
      f.revisits.set(static_cast<unsigned>(r));
    }
    FP_REQUIRE(f.event < static_cast<Id>(Set::capacity), "a saved choice should be about an event");
  }
  return true;
}

template <unsigned W> bool Engine<W>::has_more(const Frame& f) const {
  if (f.given) return false;
  switch (f.kind) {
  case Kind::Read:
    return f.cursor != none || !f.last_resort;
  case Kind::Base:
    return f.cursor != none;
  case Kind::Write:
    return !f.revisiting || f.revisits.any();
  case Kind::Choose:
    return !f.revisiting;
  default:
    return false;
  }
}

// The taker starts as a copy that forgets everything above the choice; the giver marks the choice as given. Choices
// below it have no alternatives left, so the taker finds them exhausted.
template <unsigned W> std::vector<std::int64_t> Engine<W>::split() {
  std::size_t chosen = 0;
  while (chosen < frames_.size() && !has_more(frames_[chosen]))
    ++chosen;
  if (chosen + 1 >= frames_.size()) return {};
  Engine<W> taker(states_, options_, results_);
  if (!taker.load(save())) throw DecodeError("an engine should load what it saved");
  while (taker.frames_.size() > chosen + 1) {
    taker.retract(taker.frames_.back());
    taker.frames_.pop_back();
  }
  FP_REQUIRE(taker.frames_.size() == chosen + 1, "who takes work should go on from the choice that is given");
  taker.descend_ = false;
  frames_[chosen].given = true;
  return taker.save();
}

} // namespace fencepost
