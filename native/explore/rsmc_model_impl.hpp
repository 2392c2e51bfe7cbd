#pragma once

#include "explore/rsmc_model.hpp"

#include <algorithm>

namespace fencepost::rsmc {

template <unsigned W>
Model<W>::Model(LocalStates& states, const ExploreOptions& options)
    : states_(states), options_(options), axioms_(options.plan), commit_before_(options.commit_before) {}

template <unsigned W> State<W> Model<W>::first() {
  State s;
  const Bytecode& p = states_.machine().program();
  s.g.thread.resize(p.threads.size());
  for (std::uint32_t t = 0; t < p.threads.size(); ++t)
    s.g.thread[t].begin = s.g.thread[t].now = states_.first(t, p.threads[t].function, p.threads[t].args);
  fetch(s);
  return s;
}

// --- fetching --------------------------------------------------------------------------------------------------------

// Fetches every thread anew, up to a branch that depends on a load that is not committed. A load that is not committed
// gives 0 for now; the dependencies say what is not to be believed.
template <unsigned W> void Model<W>::fetch(State& s) {
  G& g = s.g;
  s.open.each([&](unsigned e) {
    const CommittedEvent& v = g.event[e];
    g.thread[v.thread].slot[v.slot] = none;
    g.thread[v.thread].events.reset(e);
    g.used.reset(e);
  });
  std::erase_if(g.order, [&](Id e) { return s.open.test(g.bit(e)); });
  s.open.clear();
  s.undecided.clear();
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t t = 0; t < g.thread.size(); ++t)
      if (g.thread[t].begin) changed |= fetch_thread(s, t);
  }
}

// Whether anything changed: then other threads, which may wait to join this one, have to be looked at again.
template <unsigned W> bool Model<W>::fetch_thread(State& s, std::uint32_t t) {
  const std::size_t before = s.g.order.size();
  const LocalState* const was = s.g.thread[t].now;
  LocalState* now = s.g.thread[t].begin;
  for (bool at_front = true;;) {
    if (at_front) s.g.thread[t].now = now;
    const ActionKind kind = now->action.kind;
    if (kind == ActionKind::End || kind == ActionKind::Block) break;
    const Id e = s.g.at_slot(t, now->state.events);
    if (e == none) {
      if (!fetch_event(s, t, now)) break;
      continue;
    }
    const CommittedEvent& v = s.g[e];
    if (s.open.test(s.g.bit(e))) {
      at_front = false;
      if (v.kind == ActionKind::Choose || waits(v.action().part)) break;
    } else if (!serves(s, e, now)) {
      break;
    }
    now = pass(s, e, now);
  }
  return s.g.order.size() != before || s.g.thread[t].now != was;
}

// Whether the thread goes on behind an event that is committed. What a wait compares with may come out after its read.
template <unsigned W> bool Model<W>::serves(State& s, Id e, const LocalState* now) {
  CommittedEvent& v = s.g[e];
  if (v.is_read() && waits(now->action.part)) {
    if (!known(s, v.thread, now->action.compared_deps)) return false;
    v.stuck = !states_.machine().satisfied(now->state, now->action, v.value);
  }
  s.g.thread[v.thread].halted |= v.stuck;
  return !v.stuck;
}

// The thread after an event that is fetched.
template <unsigned W> LocalState* Model<W>::pass(State& s, Id e, LocalState* now) {
  const CommittedEvent& v = s.g[e];
  const bool open = s.open.test(s.g.bit(e));
  if (v.is_read() && v.action().part == Part::Cas) return pass_exchange(s, e, now);
  if (v.kind != ActionKind::Write) return states_.next(now, open ? 0 : v.value);
  const bool fails = s.undecided.test(s.g.bit(e)) || (!open && v.hidden);
  return states_.next(now, fails ? 0 : 1);
}

// A compare-exchange comes out when its read is committed and what it compares with is known. Until then it is a read
// that fails: its write waits, the slot is kept for it, and its success is not believed.
template <unsigned W> LocalState* Model<W>::pass_exchange(State& s, Id e, LocalState* now) {
  CommittedEvent& v = s.g[e];
  const Action& a = now->action;
  const bool open = s.open.test(s.g.bit(e));
  LocalState* after = states_.next(now, open ? 0 : v.value);
  const bool decided = !open && known(s, v.thread, a.compared_deps);
  if (!open) {
    v.at = now;
    v.failed_cas = !decided || !after->action.rmw;
    v.mode = v.failed_cas ? a.failure : a.mode;
  }
  return decided || !after->action.rmw ? after : states_.next(after, 1);
}

// Adds the event at which a thread stands; false where it must wait for something to be committed.
template <unsigned W> bool Model<W>::fetch_event(State& s, std::uint32_t t, LocalState* now) {
  G& g = s.g;
  const Action& a = now->action;
  if (g.thread[t].halted || !known(s, t, a.control_deps)) return false;
  if (g.order.size() + states_.locations().count() + 4 > most_events) {
    overflowed_ = true;
    return false;
  }
  if (g.location.size() < states_.locations().count()) g.location.resize(states_.locations().count());
  switch (a.kind) {
  case ActionKind::Fence:
    g.add(t, now->state.events, now);
    return true;
  case ActionKind::Read:
  case ActionKind::Write:
    return fetch_access(s, t, now);
  case ActionKind::Choose:
    s.open.set(g.bit(g.add(t, now->state.events, now)));
    return true;
  default:
    return alone(s, t) && fetch_system_event(s, t, now);
  }
}

template <unsigned W> bool Model<W>::fetch_access(State& s, std::uint32_t t, LocalState* now) {
  G& g = s.g;
  const Action& a = now->action;
  if (now->mixed) return false;
  const std::uint32_t slot = now->state.events;
  const Id e = g.add(t, slot, now);
  FP_REQUIRE(e != none, "room for an access should have been looked for");
  CommittedEvent& v = g[e];
  if (v.is_read()) g.location[v.location].reads.reset(g.bit(e));
  if (!known(s, t, a.address_deps)) v.location = no_location;
  if (a.rmw) v.pair = g.at_slot(t, slot - 1);
  if (a.conditional >= 0) v.pair = g.at_slot(t, static_cast<std::size_t>(a.conditional));
  v.hidden = true;
  s.open.set(g.bit(e));
  const bool decided = std::find(s.succeed.begin(), s.succeed.end(), Name{t, slot}) != s.succeed.end();
  if (a.conditional >= 0 && a.may_fail && !decided) s.undecided.set(g.bit(e));
  return true;
}

// Threads that start and end, and memory that is freed. pre: everything before it in its thread is committed.
template <unsigned W> bool Model<W>::fetch_system_event(State& s, std::uint32_t t, LocalState* now) {
  G& g = s.g;
  const Action& a = now->action;
  const std::uint32_t slot = now->state.events;
  if (a.kind == ActionKind::Free) {
    g.add(t, slot, now);
    return true;
  }
  if (a.kind == ActionKind::Spawn) {
    const Id e = g.add(t, slot, now);
    const std::uint32_t child = states_.numbers().of(t, slot);
    if (g.thread.size() <= child) g.thread.resize(child + 1);
    g.thread[child] = {};
    g.thread[child].begin = g.thread[child].now =
        states_.first(child, static_cast<std::uint32_t>(a.value), states_.machine().spawn_arguments(now->state));
    g.thread[child].spawned_by = e;
    g[e].value = child;
    return true;
  }
  if (a.kind != ActionKind::Join || a.value >= g.thread.size() || !g.thread[a.value].begin) return false;
  const auto child = static_cast<std::uint32_t>(a.value);
  const Action& last = g.thread[child].now->action;
  const bool ended = last.kind == ActionKind::End && !last.process; // exit() never comes back
  if (!alone(s, child) || g.thread[child].halted || !ended) return false;
  const Id e = g.add(t, slot, now);
  g[e].value = last.value;
  return true;
}

template <unsigned W> bool Model<W>::known(const State& s, std::uint32_t t, DepSet deps) const {
  for (const std::uint32_t d : states_.machine().dependencies().elements(deps)) {
    const Id e = s.g.at_slot(t, slot_of(d));
    if (e == none) return false;
    if ((d & success_dependency ? s.undecided : s.open).test(s.g.bit(e))) return false;
  }
  return true;
}

// --- commit-before ---------------------------------------------------------------------------------------------------

// Shows the fetched accesses to a plan, or hides them again. What may turn out not to be is not shown.
template <unsigned W> void Model<W>::expose(State& s, bool shown) {
  (s.open - s.undecided).each([&](unsigned e) {
    CommittedEvent& v = s.g.event[e];
    v.hidden = !shown && v.kind != ActionKind::Choose;
    if (v.location == no_location) return;
    auto& l = s.g.location[v.location];
    Set& set = v.kind == ActionKind::Read ? l.reads : l.writes;
    shown ? set.set(e) : set.reset(e);
  });
}

template <unsigned W> void Model<W>::close(std::vector<Set>& rows) {
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].test(static_cast<unsigned>(k))) rows[i] |= rows[k];
}

// Whether write e of a compare-exchange is before something that could be committed while it is open whether e exists
// at all: something that what is compared with is not before anyway. `rows`: commit-before, not closed. A read of
// another thread has e before it because it reads from e, and not a moment sooner: that is its parameter, as with every
// store.
template <unsigned W> bool Model<W>::orders_by_outcome(const State& s, Id e, std::vector<Set> rows) const {
  const DepSet compared = s.g[s.g[e].pair].action().compared_deps;
  const unsigned n = structure_.number(e);
  if (compared == 0 || rows[n].none()) return false;
  Set after = rows[n];
  for (const Id r : s.g.order)
    if (s.g[r].is_read() && s.g[r].reads_from == e && s.g[r].thread != s.g[e].thread) after.reset(structure_.number(r));
  rows[n].clear();
  close(rows);
  for (const std::uint32_t d : states_.machine().dependencies().elements(compared))
    if (const Id source = s.g.at_slot(s.g[e].thread, slot_of(d)); source != none)
      if ((after - rows[structure_.number(source)]).any()) return true;
  return false;
}

template <unsigned W> std::vector<Bits<W>> Model<W>::order(State& s) {
  expose(s, true);
  const bool fits = structure_.build(s.g, states_.machine().dependencies(), options_.success_dependencies);
  expose(s, false);
  overflowed_ |= !fits;
  std::vector<Set> before(s.g.event.size());
  if (!fits) return before;
  const std::size_t n = structure_.s.n;
  std::vector<Set> rows(n);
  const auto add = [&](const std::vector<Set>& relation) { // whose rows hold what comes before
    for (unsigned i = 0; i < n; ++i)
      relation[i].each([&](unsigned d) { rows[d].set(i); });
  };
  for (const int r : {base_relation::addr, base_relation::data, base_relation::ctrl, base_relation::rf,
                      base_relation::rmw, base_relation::spawn})
    add(structure_.s.relation[static_cast<std::size_t>(r)]);
  add_choices(s, rows);
  add(commit_before_.relation(structure_.s));
  depends_on_outcome_ = none;
  for (const Id e : s.g.order)
    if (s.g[e].is_write() && s.g[e].action().rmw && orders_by_outcome(s, e, rows)) depends_on_outcome_ = e;
  close(rows);
  for (const Id d : s.g.order)
    for (const Id e : s.g.order)
      if (!s.g[d].stuck && !s.g[e].stuck && rows[structure_.number(d)].test(structure_.number(e)))
        before[static_cast<std::size_t>(e)].set(G::bit(d));
  return before;
}

// What fetching waits for besides dependencies: a choice comes before all after it, and needs nothing; what starts,
// ends or frees comes after all before it, and before all after it.
template <unsigned W> void Model<W>::add_choices(const State& s, std::vector<Set>& rows) const {
  const auto& po = structure_.s.relation[base_relation::po];
  for (const Id e : s.g.order) {
    const ActionKind kind = s.g[e].kind;
    const bool system = kind == ActionKind::Spawn || kind == ActionKind::Join || kind == ActionKind::Free;
    if (!system && kind != ActionKind::Choose) continue;
    const unsigned n = structure_.number(e);
    for (unsigned later = 0; later < rows.size(); ++later)
      if (po[later].test(n)) rows[n].set(later);
    if (system) po[n].each([&](unsigned d) { rows[d].set(n); });
  }
}

template <unsigned W> Before<W> Model<W>::before(const State& s, const std::vector<Set>& order, Choice c) const {
  Before found;
  const auto add = [&](Id d) {
    found.events |= order[static_cast<std::size_t>(d)];
    found.events.set(G::bit(d));
  };
  const CommittedEvent& v = s.g[c.event];
  if (!c.outcome) {
    found.events = order[static_cast<std::size_t>(c.event)];
  } else {
    const DependencyTable& table = states_.machine().dependencies();
    const Id reserve = s.g.at_slot(v.thread, static_cast<std::size_t>(v.action().conditional));
    FP_REQUIRE(reserve != none, "a load-reserve should be fetched before its store-conditional");
    for (const DepSet deps : {v.action().address_deps, v.action().control_deps, s.g[reserve].action().address_deps})
      for (const std::uint32_t d : table.elements(deps))
        if (const Id source = s.g.at_slot(v.thread, slot_of(d)); source != none) add(source);
  }
  // The outcomes before c, and before what is before it: of each thread those up to its last event.
  std::vector<std::uint32_t> ends(s.g.thread.size());
  const auto reach = [&](Id e, bool itself) {
    std::uint32_t& end = ends[s.g[e].thread];
    end = std::max(end, s.g[e].slot + itself);
  };
  found.events.each([&](unsigned e) { reach(static_cast<Id>(e), true); });
  reach(c.event, !c.outcome);
  for (const Id e : s.g.order)
    if (const Action& a = s.g[e].action(); a.conditional >= 0 && a.may_fail && s.g[e].slot < ends[s.g[e].thread])
      found.outcomes.set(G::bit(e));
  return found;
}

template <unsigned W> bool Model<W>::is_enabled(const State& s, const std::vector<Set>& order, Choice c) const {
  const CommittedEvent& v = s.g[c.event];
  if (c.outcome)
    return s.undecided.test(G::bit(c.event)) && v.location != no_location && s.g[v.pair].location != no_location;
  if (!s.open.test(G::bit(c.event)) || s.undecided.test(G::bit(c.event))) return false;
  if (v.kind == ActionKind::Choose) return true;
  const bool waits = v.pair != none && s.open.test(G::bit(v.pair));
  return !waits && v.location != no_location && !order[static_cast<std::size_t>(c.event)].meets(s.open);
}

// Whether the read of a read-modify-write should wait: something before its write can be committed. Two of them may
// read the same store, and then the second write has no place. Nothing is lost by that if all that the write needs was
// committed before the read: whatever else its operands may be is met in the runs in which the read reads another
// store.
template <unsigned W> bool Model<W>::comes_early(const State& s, const std::vector<Set>& order, Id read) const {
  const CommittedEvent& v = s.g[read];
  const Part part = v.action().part;
  if (!v.is_read() || (part != Part::Exclusive && !updates(part))) return false;
  std::uint32_t end = v.slot;
  s.open.each([&](unsigned e) {
    if (s.g.event[e].pair == read) end = s.g.event[e].slot;
  });
  const auto& slots = s.g.thread[v.thread].slot;
  for (std::uint32_t k = 0; k < end; ++k)
    if (slots[k] != none && slots[k] != read && is_enabled(s, order, {slots[k]})) return true;
  return false;
}

template <unsigned W> Choice Model<W>::enabled(const State& s, const std::vector<Set>& order) const {
  Choice found;
  int best = -1;
  s.open.each([&](unsigned n) {
    const Choice c{static_cast<Id>(n), s.undecided.test(n)};
    if (!is_enabled(s, order, c)) return;
    const CommittedEvent& v = s.g[c.event];
    const bool decides = c.outcome || v.kind == ActionKind::Choose;
    const bool writes = v.kind == ActionKind::Write && v.pair != none;
    const int rank = decides ? 3 : writes ? 2 : comes_early(s, order, c.event) ? 0 : 1;
    if (rank < best || (rank == best && name_of(s, c.event) < name_of(s, found.event))) return;
    best = rank;
    found = c;
  });
  return found;
}

// --- committing ------------------------------------------------------------------------------------------------------

// Makes e a committed event, with no parameter yet.
template <unsigned W> void Model<W>::settle(State& s, Id e) {
  CommittedEvent& v = s.g[e];
  FP_ASSERT(s.open.test(s.g.bit(e)), "only what is open should be committed");
  FP_ASSERT(v.location != no_location || (!v.is_read() && v.kind != ActionKind::Write) ||
                v.kind == ActionKind::Choose || s.undecided.test(s.g.bit(e)),
            "what is committed should know its location");
  s.open.reset(s.g.bit(e));
  v.hidden = false;
  if (v.is_read()) s.g.location[v.location].reads.set(s.g.bit(e));
  v.stamp = s.g.stamps++;
  std::erase(s.g.order, e);
  s.g.order.push_back(e);
}

template <unsigned W> void Model<W>::keep(std::vector<Successor>& found, State&& after, const Commit& commit) {
  if (!structure_.build(after.g, states_.machine().dependencies(), options_.success_dependencies)) {
    overflowed_ = true;
    return;
  }
  if (!axioms_.consistent(structure_.s)) return;
  fetch(after);
  found.push_back({commit, std::move(after)});
}

template <unsigned W> void Model<W>::load(std::vector<Successor>& found, const State& s, Id e, Id w) {
  State after = s;
  settle(after, e);
  after.g.set_reads_from(e, w);
  CommittedEvent& v = after.g[e];
  v.value = w == initial ? states_.locations().initial(v.location) : after.g[w].value;
  const Action& a = v.action();
  v.stuck =
      waits(a.part) && known(after, v.thread, a.compared_deps) && !states_.machine().satisfied(v.at->state, a, v.value);
  if (a.part == Part::Cas) pass_exchange(after, e, v.at);
  const Name source = w == initial ? initial_store : name_of(after, w);
  const Name event = name_of(after, e);
  keep(found, std::move(after), {event, source, any_place, true});
}

template <unsigned W> std::vector<Successor<W>> Model<W>::commits(const State& s, Choice c) {
  std::vector<Successor> found;
  const Id e = c.event;
  const CommittedEvent& v = s.g[e];
  const Name event{v.thread, v.slot, c.outcome};
  const bool chooses = c.outcome || v.kind == ActionKind::Choose;
  const auto low = c.outcome ? 0 : static_cast<std::int64_t>(v.action().value);
  const auto high = c.outcome ? 1 : static_cast<std::int64_t>(v.action().high);
  for (std::int64_t value = low; chooses && value <= high; ++value) {
    State after = s;
    if (c.outcome && value == 1) {
      after.succeed.push_back(name_of(s, e));
    } else {
      settle(after, e);
      after.undecided.reset(G::bit(e));
      if (c.outcome) {
        after.g[e].hidden = true;
        after.g[e].pair = none;
      } else {
        after.g[e].value = static_cast<std::uint64_t>(value);
      }
    }
    keep(found, std::move(after), {event, initial_store, value, false});
  }
  if (chooses) return found;
  std::int64_t place = 0;
  for (Id w = initial; w != none; w = s.g.coherence_after(w, v.location), ++place) {
    if (v.kind == ActionKind::Read) {
      load(found, s, e, w);
      continue;
    }
    if (v.action().rmw && s.g[v.pair].reads_from != w) continue;
    State after = s;
    settle(after, e);
    after.g.place(e, w);
    keep(found, std::move(after), {event, initial_store, place, false});
  }
  return found;
}

// --- whether commit-before is valid ----------------------------------------------------------------------------------

template <unsigned W> bool Model<W>::may_read(const State& s, const std::vector<Set>& order, Id load, Id e) {
  FP_ASSERT(static_cast<std::size_t>(load) < order.size() && static_cast<std::size_t>(e) < order.size(),
            "both that are asked about should be ordered");
  Set kept = order[static_cast<std::size_t>(load)] | order[static_cast<std::size_t>(e)];
  kept.set(G::bit(load));
  kept.set(G::bit(e));
  if (allows(s, kept, load, e)) return true;
  const Id half = s.g.at_slot(s.g[load].thread, s.g[load].slot + 1);
  if (s.g[load].action().part != Part::Cas || s.g[load].failed_cas || half == none) return false;
  // There it may fail: without its write, and what comes after that.
  if (order[static_cast<std::size_t>(e)].test(G::bit(half))) return false;
  kept.reset(G::bit(half));
  State fails = s;
  fails.g[load].failed_cas = true;
  fails.g[load].mode = fails.g[load].action().failure;
  return allows(fails, kept, load, e);
}

// Whether the axioms allow, on these events alone, that the load reads from the store e.
template <unsigned W> bool Model<W>::allows(const State& s, const Set& kept, Id load, Id e) {
  State part = s;
  G& g = part.g;
  g.clear_reads_from(load);
  g[load].stuck = false;
  const auto goes = [&](Id d, ActionKind kind) {
    return g[d].kind == kind && !kept.test(G::bit(d)) && !part.open.test(G::bit(d));
  };
  for (const ActionKind kind : {ActionKind::Read, ActionKind::Write}) // who reads goes before what it reads
    for (const Id d : g.order)
      if (goes(d, kind)) g.remove(d);
  std::erase_if(g.order, [&](Id d) { return !g.used.test(G::bit(d)); });
  settle(part, e);
  g.set_reads_from(load, e);
  for (Id w = initial; w != none; w = g.coherence_after(w, g[e].location)) {
    if (g[e].action().rmw && g[g[e].pair].reads_from != w && g[e].pair != load) continue;
    State placed = part;
    placed.g.place(e, w);
    if (!structure_.build(placed.g, states_.machine().dependencies(), options_.success_dependencies)) return true;
    if (axioms_.consistent(structure_.s)) return true;
  }
  return false;
}

} // namespace fencepost::rsmc
