#include "explore/rsmc_model.hpp"

#include <algorithm>

namespace fencepost::rsmc {

Model::Model(LocalStates& states, const ExploreOptions& options)
    : states_(states), options_(options), axioms_(options.plan), commit_before_(options.commit_before) {}

State Model::first() {
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
void Model::fetch(State& s) {
  G& g = s.g;
  s.open.each([&](unsigned e) {
    const CommittedEvent& v = g.event[e];
    g.thread[v.thread].slot[v.slot] = none;
    g.thread[v.thread].events.reset(e);
    g.used.reset(e);
  });
  std::erase_if(g.order, [&](Id e) { return s.open.test(g.bit(e)); });
  s.open.clear();
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t t = 0; t < g.thread.size(); ++t)
      if (g.thread[t].begin) changed |= fetch_thread(s, t);
  }
}

// Whether anything changed: then other threads, which may wait to join this one, have to be looked at again.
bool Model::fetch_thread(State& s, std::uint32_t t) {
  const std::size_t before = s.g.order.size();
  const LocalState* const was = s.g.thread[t].now;
  LocalState* now = s.g.thread[t].begin;
  bool at_front = true;
  for (;;) {
    const Id e = s.g.at_slot(t, now->state.events);
    if (at_front) s.g.thread[t].now = now;
    const ActionKind kind = now->action.kind;
    if (kind == ActionKind::End || kind == ActionKind::Block) break;
    if (e == none) {
      if (!fetch_event(s, t, now)) break;
      continue;
    }
    const CommittedEvent& v = s.g[e];
    if (s.open.test(s.g.bit(e))) {
      at_front = false;
      const bool decides = v.kind == ActionKind::Choose || waits(v.action().part) || v.action().part == Part::Cas;
      if (decides) break;
      now = states_.next(now, v.kind == ActionKind::Write ? 1 : 0);
      continue;
    }
    if (v.stuck) {
      s.g.thread[t].halted = true;
      break;
    }
    now = states_.next(now, v.kind == ActionKind::Write ? 1 : v.value);
  }
  return s.g.order.size() != before || s.g.thread[t].now != was;
}

// Adds the event at which a thread stands; false where it must wait for something to be committed.
bool Model::fetch_event(State& s, std::uint32_t t, LocalState*& now) {
  G& g = s.g;
  const Action& a = now->action;
  const std::uint32_t slot = now->state.events;
  if (g.thread[t].halted || !known(s, t, a.control_deps)) return false;
  if (g.order.size() + states_.locations().count() + 4 > Set::capacity) {
    overflowed_ = true;
    return false;
  }
  if (g.location.size() < states_.locations().count()) g.location.resize(states_.locations().count());
  switch (a.kind) {
  case ActionKind::Fence:
    g.add(t, slot, now);
    return true;
  case ActionKind::Read:
  case ActionKind::Write: {
    if (now->mixed || a.part == Part::Exclusive || a.conditional >= 0) return false;
    const Id e = g.add(t, slot, now);
    CommittedEvent& v = g[e];
    if (v.is_read()) g.location[v.location].reads.reset(g.bit(e));
    if (!known(s, t, a.address_deps)) v.location = no_location;
    if (a.rmw) v.pair = g.at_slot(t, slot - 1);
    v.hidden = true;
    s.open.set(g.bit(e));
    return true;
  }
  case ActionKind::Choose:
    if (!alone(s, t)) return false;
    s.open.set(g.bit(g.add(t, slot, now)));
    return true;
  case ActionKind::Free:
    if (!alone(s, t)) return false;
    g.add(t, slot, now);
    return true;
  case ActionKind::Spawn: {
    if (!alone(s, t)) return false;
    const Id e = g.add(t, slot, now);
    const std::uint32_t child = states_.spawned(t, slot);
    if (g.thread.size() <= child) g.thread.resize(child + 1);
    g.thread[child] = {};
    g.thread[child].begin = g.thread[child].now =
        states_.first(child, static_cast<std::uint32_t>(a.value), states_.machine().spawn_arguments(now->state));
    g.thread[child].spawned_by = e;
    g[e].value = child;
    return true;
  }
  case ActionKind::Join: {
    if (!alone(s, t) || a.value >= g.thread.size() || !g.thread[a.value].begin) return false;
    const auto child = static_cast<std::uint32_t>(a.value);
    const Action& last = g.thread[child].now->action;
    const bool ended = last.kind == ActionKind::End && !last.process; // exit() never comes back
    if (!alone(s, child) || g.thread[child].halted || !ended) return false;
    const Id e = g.add(t, slot, now);
    g[e].value = g.thread[child].now->action.value;
    return true;
  }
  default:
    return false;
  }
}

bool Model::known(const State& s, std::uint32_t t, DepSet deps) const {
  for (const std::uint32_t d : states_.machine().dependencies().elements(deps))
    if (const Id e = s.g.at_slot(t, d & ~success_dependency); e == none || s.open.test(s.g.bit(e))) return false;
  return true;
}

// --- commit-before ---------------------------------------------------------------------------------------------------

// Shows the fetched accesses to a plan, or hides them again.
void Model::expose(State& s, bool shown) {
  s.open.each([&](unsigned e) {
    CommittedEvent& v = s.g.event[e];
    v.hidden = !shown && v.kind != ActionKind::Choose;
    if (v.location == no_location) return;
    auto& l = s.g.location[v.location];
    Set& set = v.kind == ActionKind::Read ? l.reads : l.writes;
    shown ? set.set(e) : set.reset(e);
  });
}

std::vector<Set> Model::order(State& s) {
  expose(s, true);
  const bool fits = structure_.build(s.g, states_.machine().dependencies(), options_.success_dependencies);
  expose(s, false);
  overflowed_ |= !fits;
  std::vector<Set> before(s.g.event.size());
  if (!fits) return before;
  const std::size_t n = structure_.s.n;
  std::vector<Set> rows(n);
  const auto add = [&](const std::vector<Set>& relation) {
    for (std::size_t i = 0; i < n; ++i)
      rows[i] |= relation[i];
  };
  for (const int r : {base_relation::addr, base_relation::data, base_relation::ctrl, base_relation::rf,
                      base_relation::rmw, base_relation::spawn})
    add(structure_.s.relation[static_cast<std::size_t>(r)]);
  add(commit_before_.relation(structure_.s));
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      if (rows[i].test(static_cast<unsigned>(k))) rows[i] |= rows[k];
  for (const Id d : s.g.order)
    for (const Id e : s.g.order)
      if (!s.g[d].stuck && !s.g[e].stuck && rows[structure_.number(d)].test(structure_.number(e)))
        before[static_cast<std::size_t>(e)].set(G::bit(d));
  return before;
}

Id Model::enabled(const State& s, const std::vector<Set>& order) const {
  Id found = none;
  s.open.each([&](unsigned n) {
    const auto e = static_cast<Id>(n);
    const CommittedEvent& v = s.g[e];
    const auto is_open = [&](Id d) { return d != none && s.open.test(G::bit(d)); };
    if (order[n].meets(s.open) || is_open(v.pair)) return;
    if (v.location == no_location && v.kind != ActionKind::Choose) return;
    const auto name = [&](Id d) { return Name{s.g[d].thread, s.g[d].slot}; };
    if (found == none || name(found) < name(e)) found = e;
  });
  return found;
}

// --- committing ------------------------------------------------------------------------------------------------------

// Makes e a committed event, with no parameter yet.
void Model::settle(State& s, Id e) {
  CommittedEvent& v = s.g[e];
  s.open.reset(s.g.bit(e));
  v.hidden = false;
  if (v.is_read()) s.g.location[v.location].reads.set(s.g.bit(e));
  v.stamp = s.g.stamps++;
  std::erase(s.g.order, e);
  s.g.order.push_back(e);
}

void Model::keep(std::vector<Successor>& found, State&& after, const Commit& commit) {
  if (!structure_.build(after.g, states_.machine().dependencies(), options_.success_dependencies)) {
    overflowed_ = true;
    return;
  }
  if (!axioms_.consistent(structure_.s)) return;
  fetch(after);
  found.push_back({commit, std::move(after)});
}

void Model::load(std::vector<Successor>& found, const State& s, Id e, Id w) {
  State after = s;
  settle(after, e);
  after.g.set_reads_from(e, w);
  CommittedEvent& v = after.g[e];
  v.value = w == initial ? states_.locations().initial(v.location) : after.g[w].value;
  const Action& a = v.action();
  v.stuck = !states_.machine().satisfied(v.at->state, a, v.value);
  if (a.part == Part::Cas) {
    v.failed_cas = !states_.next(v.at, v.value)->action.rmw;
    v.mode = v.failed_cas ? a.failure : a.mode;
  }
  const Name source = w == initial ? initial_store : Name{after.g[w].thread, after.g[w].slot};
  const Name event{v.thread, v.slot};
  keep(found, std::move(after), {event, source, any_place, true});
}

std::vector<Successor> Model::commits(const State& s, Id e) {
  std::vector<Successor> found;
  const CommittedEvent& v = s.g[e];
  const Name event{v.thread, v.slot};
  if (v.kind == ActionKind::Choose) {
    const auto low = static_cast<std::int64_t>(v.action().value), high = static_cast<std::int64_t>(v.action().high);
    for (std::int64_t value = low; value <= high; ++value) {
      State after = s;
      settle(after, e);
      after.g[e].value = static_cast<std::uint64_t>(value);
      keep(found, std::move(after), {event, initial_store, value, false});
    }
    return found;
  }
  std::int64_t place = 0;
  for (Id w = initial; w != none; w = s.g.coherence_after(w, v.location), ++place) {
    if (v.kind == ActionKind::Read) {
      load(found, s, e, w);
      continue;
    }
    if (v.pair != none && s.g[v.pair].reads_from != w) continue;
    State after = s;
    settle(after, e);
    after.g.place(e, w);
    keep(found, std::move(after), {event, initial_store, place, false});
  }
  return found;
}

} // namespace fencepost::rsmc
