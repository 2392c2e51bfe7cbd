// A commit engine as plain numbers; see engine_save_impl.hpp.
#pragma once

#include "explore/commit_engine.hpp"
#include "explore/engine_save_impl.hpp"

#include <tuple>
#include <unordered_map>
#include <utility>

namespace fencepost {

namespace detail {

// The thread states that graphs refer to, each after its parent, by numbers: states share most of their way.
class SavedStates {
public:
  explicit SavedStates(const LocalStates& states) : states_(states) {}

  std::size_t number(const LocalState* state) {
    way_.clear();
    for (; state && !numbers_.contains(state); state = state->parent)
      way_.push_back(state);
    std::size_t found = state ? numbers_[state] : 0;
    for (; !way_.empty(); way_.pop_back()) {
      add(*way_.back(), found);
      found = numbers_.size();
      numbers_.emplace(way_.back(), found);
    }
    return found;
  }
  void put_into(Writer& out) const {
    out.put(numbers_.size());
    out.words.insert(out.words.end(), rows_.words.begin(), rows_.words.end());
  }

private:
  void add(const LocalState& state, std::size_t parent) {
    rows_.put(state.parent ? 1 : 0);
    FP_ASSERT(parent <= numbers_.size(), "a state should be saved after its parent");
    if (state.parent) return rows_.put(parent, state.told, state.answer);
    const auto& [thread, function, args] = states_.start_of(state);
    rows_.put(thread, function, args.size());
    for (const std::uint64_t a : args)
      rows_.put(a);
  }

  const LocalStates& states_;
  Writer rows_;
  std::vector<const LocalState*> way_;
  std::unordered_map<const LocalState*, std::size_t> numbers_;
};

inline std::vector<LocalState*> load_states(Reader& in, LocalStates& states) {
  std::vector<LocalState*> found;
  for (std::size_t n = in.size(); n > 0; --n) {
    bool follows = false;
    in.get(follows);
    if (follows) {
      std::size_t parent = 0;
      bool told = false;
      std::uint64_t answer = 0;
      in.get(parent, told, answer);
      if (parent >= found.size()) throw DecodeError("a saved state should come after its parent");
      found.push_back(told ? states.told(found[parent], answer != 0) : states.next(found[parent], answer));
    } else {
      std::uint32_t thread = 0, function = 0;
      in.get(thread, function);
      if (thread >= layout::max_threads) throw DecodeError("a saved exploration should have fewer threads");
      std::vector<std::uint64_t> args(in.size());
      for (std::uint64_t& a : args)
        in.get(a);
      found.push_back(states.first(thread, function, args));
    }
  }
  return found;
}

// A set by runs: where one begins and how long it is.
template <unsigned W> void save_set(Writer& out, const Bits<W>& set) {
  const std::size_t count = out.words.size();
  out.put(0);
  unsigned next = 0;
  set.each([&](unsigned d) {
    if (out.words.size() == count + 1 || d != next) {
      out.put(d, 0);
      ++out.words[count];
    }
    ++out.words.back();
    next = d + 1;
  });
}

// False where it does not fit.
template <unsigned W> bool load_set(Reader& in, Bits<W>& set) {
  bool fits = true;
  set.clear();
  for (std::size_t runs = in.size(); runs > 0; --runs) {
    std::uint32_t from = 0, length = 0;
    in.get(from, length);
    fits &= from < Bits<W>::capacity && length <= Bits<W>::capacity - from;
    for (std::uint32_t d = from; fits && d < from + length; ++d)
      set.set(d);
  }
  return fits;
}

inline bool same_event(const SplitEvent& a, const SplitEvent& b) {
  const auto all = [](const SplitEvent& v) {
    return std::tie(v.at, v.value, v.thread, v.slot, v.stamp, v.reads_from, v.co_before, v.co_after, v.pair, v.commit,
                    v.outcome, v.write, v.kind, v.mode, v.half, v.stuck, v.failed_cas);
  };
  return all(a) == all(b);
}

// Of the events only those are written that are not what they were in `last`, the graph written before: graphs that
// wait to be extended differ little.
template <unsigned W>
void save_commit_graph(Writer& out, const SplitGraph<W>& g, const SplitGraph<W>* last, SavedStates& states,
                       Locations& locations) {
  out.put(g.stamps, g.order.size(), g.thread.size());
  for (const auto& th : g.thread)
    out.put(th.begin ? 1 : 0, th.spawned_by, th.halted, th.told, th.slot.size());
  const std::size_t count = out.words.size();
  out.put(0);
  for (std::size_t k = 0; k < g.order.size(); ++k) {
    const Id e = g.order[k];
    const SplitEvent& v = g[e];
    if (last && k < last->order.size() && last->order[k] == e && same_event(v, (*last)[e]) &&
        g.prefix_of(e) == last->prefix_of(e))
      continue;
    ++out.words[count];
    out.put(k, e, v.value, v.thread, v.slot, v.stamp, v.reads_from, v.co_before, v.co_after, v.pair, v.commit,
            v.outcome, v.write, v.kind, v.mode, v.half, v.stuck, v.failed_cas, states.number(v.at));
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

// An event of the graph that was loaded last.
template <unsigned W> struct LoadedEvent {
  Id id = none;
  SplitEvent event;
  Bits<W> prefix;
};

// Reads what changed of the events; false where one does not fit.
template <unsigned W>
bool load_events(Reader& in, std::size_t count, std::vector<LoadedEvent<W>>& events,
                 const std::vector<LocalState*>& table) {
  if (count > in.words()) throw DecodeError("a saved size should be possible");
  events.resize(count);
  bool fits = true;
  for (std::size_t n = in.size(); n > 0; --n) {
    const std::size_t k = in.size();
    if (k >= count) throw DecodeError("a saved event should have its place");
    SplitEvent& v = events[k].event;
    std::size_t at = 0;
    in.get(events[k].id, v.value, v.thread, v.slot, v.stamp, v.reads_from, v.co_before, v.co_after, v.pair, v.commit,
           v.outcome, v.write, v.kind, v.mode, v.half, v.stuck, v.failed_cas, at);
    if (at >= table.size() || table[at]->state.thread != v.thread)
      throw DecodeError("a saved event should have a state of its thread");
    v.at = table[at];
    v.location = v.at->location;
    v.hidden = v.half != Half::Whole;
    fits &= load_set(in, events[k].prefix) && static_cast<std::uint32_t>(events[k].id) < Bits<W>::capacity;
  }
  return fits;
}

// Puts an event into a graph.
template <unsigned W> void add_loaded(SplitGraph<W>& g, const LoadedEvent<W>& loaded, LocalStates& states) {
  const SplitEvent& v = loaded.event;
  const std::size_t threads = g.thread.size();
  if (loaded.id < 0 || v.thread >= threads || v.slot >= g.thread[v.thread].slot.size() || !g.thread[v.thread].begin)
    throw DecodeError("a saved event should belong to a thread");
  if (v.kind == ActionKind::Spawn && v.value < threads) {
    const auto child = static_cast<std::uint32_t>(v.value);
    states.numbers().know(v.thread, v.slot, child);
    g.thread[child].begin = states.first(child, static_cast<std::uint32_t>(v.at->action.value),
                                         states.machine().spawn_arguments(v.at->state));
  }
  const auto at = static_cast<std::size_t>(loaded.id);
  if (g.event.size() <= at) {
    g.event.resize(at + 1);
    g.prefix.resize(at + 1);
    g.readers.resize(at + 1);
  }
  g[loaded.id] = v;
  g.prefix[at] = loaded.prefix;
  g.order.push_back(loaded.id);
  g.used.set(g.bit(loaded.id));
  Id& there = g.thread[v.thread].slot[v.slot];
  if (v.half == Half::Whole || (v.half == Half::Outcome && there == none)) there = loaded.id;
}

// False where an event does not fit.
template <unsigned W>
bool load_commit_graph(Reader& in, SplitGraph<W>& g, std::vector<LoadedEvent<W>>& events,
                       const std::vector<LocalState*>& table, LocalStates& states) {
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
  if (!load_events(in, count, events, table)) return false;
  for (const LoadedEvent<W>& one : events)
    add_loaded(g, one, states);
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
  return true;
}

} // namespace detail

// Each state once, then the graphs.
template <unsigned W> std::vector<std::int64_t> CommitEngine<W>::save(const std::vector<const G*>& graphs) const {
  detail::SavedStates states(states_);
  detail::Writer rows, out;
  const G* last = nullptr;
  for (const G* g : graphs)
    detail::save_commit_graph(rows, *g, std::exchange(last, g), states, states_.locations());
  states.put_into(out);
  out.put(graphs.size());
  out.words.insert(out.words.end(), rows.words.begin(), rows.words.end());
  return std::move(out.words);
}

template <unsigned W> std::vector<std::int64_t> CommitEngine<W>::save() const {
  std::vector<const G*> graphs;
  for (std::size_t k = 0; k < stack_.size() - spare_; ++k)
    graphs.push_back(&stack_[k]);
  if (active_) graphs.push_back(&current_);
  return save(graphs);
}

template <unsigned W> bool CommitEngine<W>::load(const std::vector<std::int64_t>& saved, const Budget& budget) {
  detail::Reader in(saved);
  const std::vector<LocalState*> table = detail::load_states(in, states_);
  std::vector<detail::LoadedEvent<W>> events;
  for (std::size_t n = in.size(); n > 0; --n) {
    G& g = fork(G{});
    if (!detail::load_commit_graph(in, g, events, table, states_) || budget.spent()) return false;
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
      const bool halted = g.thread[t].halted, told = g.thread[t].told;
      g.thread[t].now = g.thread[t].begin;
      pass(g, t);
      g.thread[t].halted |= halted;
      g.thread[t].told = told;
    }
  }
  return true;
}

template <unsigned W> std::vector<std::int64_t> CommitEngine<W>::split() {
  if (stack_.size() - spare_ < 2) return {};
  auto out = save({&stack_.front()});
  G given = std::move(stack_.front());
  std::move(stack_.begin() + 1, stack_.end(), stack_.begin());
  stack_.back() = std::move(given);
  ++spare_;
  return out;
}

} // namespace fencepost
