// The definition of RcmcEngine.
#pragma once

#include "explore/rcmc_engine.hpp"

#include "explore/weak_waits.hpp"
#include "models/races.hpp"

#include <algorithm>

namespace fencepost {

template <unsigned W>
RcmcEngine<W>::RcmcEngine(LocalStates& states, const ExploreOptions& options, Results& results)
    : states_(states), options_(options), results_(results), reporter_(states, options, results),
      weakly_(without_coherence(options.model)),
      looks_at_accesses_(reporter_.has_free || reporter_.has_heap || reporter_.has_shared_stack ||
                         detail::uses(states, detail::is_plain_access)) {}

template <unsigned W> void RcmcEngine<W>::begin() {
  Configuration first;
  const Bytecode& p = states_.machine().program();
  first.graph.thread.resize(p.threads.size());
  for (std::uint32_t t = 0; t < p.threads.size(); ++t)
    first.graph.thread[t].now = states_.first(t, p.threads[t].function, p.threads[t].args);
  first.graph.location.resize(states_.locations().count());
  stack_.clear();
  stack_.push_back(std::move(first));
}

template <unsigned W> Progress RcmcEngine<W>::run(const Budget& budget) {
  const std::uint64_t start = results_.executions + results_.blocked;
  while (!stack_.empty()) {
    if (reporter_.failed()) return Progress::Failed;
    if (budget.spent()) return Progress::Paused;
    if (results_.executions + results_.blocked - start >= budget.executions) return Progress::Paused;
    if (states_.bytes() > options_.cache_bytes) collect_states();
    now_ = std::move(stack_.back());
    stack_.pop_back();
    ++results_.choices;
    for (const Id e : now_.fresh)
      judge_access(e);
    now_.fresh.clear();
    visit(budget);
    if (full_) return Progress::Full;
  }
  return reporter_.failed() ? Progress::Failed : Progress::Done;
}

// --- Algorithm 1 -----------------------------------------------------------------------------------------------------

template <unsigned W> void RcmcEngine<W>::visit(const Budget& budget) {
  for (;;) {
    if (reporter_.failed()) return;
    if (budget.spent()) return stack_.push_back(std::move(now_)); // it is whole between two events
    const int chosen = next_p();                                  // line 2
    if (chosen < 0) return finish();
    const auto t = static_cast<std::uint32_t>(chosen);
    if (faulty(t)) continue;
    G& g = graph();
    if (g.location.size() < states_.locations().count()) g.location.resize(states_.locations().count());
    const Id e = g.append(t, true);
    if (e == none) {
      full_ = true;
      return;
    }
    switch (g[e].kind) { // lines 4 to 8
    case ActionKind::Read:
      visit_read(e);
      break;
    case ActionKind::Write:
      visit_write(e);
      break;
    default:
      visit_other(e);
    }
  }
}

template <unsigned W> bool RcmcEngine<W>::can_move(const typename G::Thread& th) const {
  const Action& a = th.now->action;
  if (a.kind == ActionKind::End || a.kind == ActionKind::Block) return false;
  if (a.kind == ActionKind::Join && a.value < graph().thread.size()) {
    const auto& other = graph().thread[a.value];
    if (!other.now) return true; // one that does not exist is an error
    return other.now->action.kind == ActionKind::End && !other.now->action.process; // exit() never comes back
  }
  return th.waits == none;
}

// The first thread that can move. Pending read-modify-writes first; of two, the one whose read is not revisitable.
template <unsigned W> int RcmcEngine<W>::next_p() const {
  const G& g = graph();
  int first = -1, pending = -1;
  for (std::size_t t = 0; t < g.thread.size(); ++t) {
    const auto& th = g.thread[t];
    if (!th.now || th.stuck) continue;
    if (th.now->action.rmw) {
      if (!now_.revisitable.test(g.bit(th.last))) return static_cast<int>(t);
      if (pending < 0) pending = static_cast<int>(t);
    } else if (first < 0 && can_move(th)) {
      first = static_cast<int>(t);
    }
  }
  return pending >= 0 ? pending : first;
}

// Whether the next action of a thread cannot be an event. The thread is stuck then, and where the graph is an execution
// so far, that is reported (line 9).
template <unsigned W> bool RcmcEngine<W>::faulty(std::uint32_t t) {
  G& g = graph();
  const Action& a = g.thread[t].now->action;
  std::optional<Trouble> found = reporter_.fault(g, t);
  const bool access = a.kind == ActionKind::Read || a.kind == ActionKind::Write;
  if (!found && a.kind == ActionKind::Choose)
    found = Trouble{ErrorKind::Unsupported, "a choice: RCMC takes deterministic programs"};
  if (!found && access && (a.part == Part::Exclusive || a.conditional >= 0))
    found = Trouble{ErrorKind::Unsupported, "exclusive accesses under a language-level model"};
  constexpr std::size_t capacity = 2048; // each alternative of a read is a copy of the graph: more would not fit memory
  const std::size_t most = std::min<std::size_t>(options_.max_events, capacity);
  if (!found && g.order.size() >= most)
    found = Trouble{ErrorKind::EventBound, "an execution has too many events: more than " + std::to_string(most) +
                                               (most < capacity ? " (--max-events)" : ", the most that RCMC keeps")};
  if (!found) return false;
  g.thread[t].stuck = true;
  const Id last = g.thread[t].last;
  // What ends our knowledge is told on the way as well: a thread that goes no further revisits nothing any more.
  if (detail::is_bound(found->kind) || sc_consistent())
    reporter_.report(g, found->kind, found->message, a.position, static_cast<std::int32_t>(t),
                     last == none ? std::vector<Id>{} : std::vector{last});
  return true;
}

template <unsigned W> void RcmcEngine<W>::visit_other(Id e) {
  G& g = graph();
  const Action& a = g[e].at->action;
  if (a.kind == ActionKind::Spawn) {
    const std::uint32_t child = states_.numbers().of(g[e].thread, g[e].index);
    if (g.thread.size() <= child) g.thread.resize(child + 1);
    auto& th = g.thread[child];
    th = {};
    th.now =
        states_.first(child, static_cast<std::uint32_t>(a.value), states_.machine().spawn_arguments(g[e].at->state));
    th.spawned_by = e;
    g[e].value = child;
  } else if (a.kind == ActionKind::Join) {
    const auto& th = g.thread[a.value];
    g[e].joined = th.last != none ? th.last : th.spawned_by;
    g[e].value = th.now->action.value;
  }
  compute_rows(g, e, options_.model);
  if (a.kind == ActionKind::Free) judge_access(e);
  g.thread[g[e].thread].now = states_.next(g[e].at, g[e].value);
}

// A graph in which no thread can move (line 9, for every execution and not only for erroneous ones).
template <unsigned W> void RcmcEngine<W>::finish() {
  if (!sc_consistent() || !wait_for_ever()) return;
  const G& g = graph();
  bool all_ended = true, stuck = false;
  for (const auto& th : g.thread) {
    if (!th.now) continue;
    all_ended &= th.now->action.kind == ActionKind::End;
    stuck |= th.stuck;
  }
  if (stuck)
    ++results_.erroneous;
  else if (all_ended)
    reporter_.complete(g);
  else
    reporter_.blocked(g);
}

template <unsigned W> bool RcmcEngine<W>::sc_consistent() {
  return weakly_ ? weak_.consistent(graph()) : psc_.consistent(graph(), coherence_);
}

// Whether threads that wait will go on to: whatever they have seen, it is one execution, told where it is the newest.
template <unsigned W> bool RcmcEngine<W>::wait_for_ever() {
  G& g = graph();
  if (weakly_) {
    const Waiting found = what_becomes(g, weak_, states_, reporter_, options_.model);
    if (found == Waiting::Unsettled) reporter_.report_unsettled(g);
    return found == Waiting::ForEver;
  }
  return std::all_of(g.thread.begin(), g.thread.end(), [&](const auto& th) {
    return th.waits == none || g[th.waits].reads_from == g.coherence_last(g[th.waits].location);
  });
}

// --- Algorithm 2 -----------------------------------------------------------------------------------------------------

// Makes r read from w, and moves its thread on, where it does not wait.
template <unsigned W> void RcmcEngine<W>::read(G& g, Id r, Id w) const {
  Event& v = g[r];
  const Action& a = v.at->action;
  auto& th = g.thread[v.thread];
  g.set_reads_from(r, w);
  v.value = value_of(g, w, v.location);
  v.pinned = !states_.machine().satisfied(v.at->state, a, v.value);
  th.waits = v.pinned ? r : none;
  th.now = v.pinned ? v.at : states_.next(v.at, v.value);
  if (a.part == Part::Cas) v.mode = th.now->action.rmw ? a.mode : a.failure;
  compute_rows(g, r, options_.model);
}

template <unsigned W> void RcmcEngine<W>::unread(G& g, Id r) {
  g.clear_reads_from(r);
  g[r].pinned = false;
  auto& th = g.thread[g[r].thread];
  th.waits = none;
  th.now = g[r].at;
}

// val(w) ∈ exvals(r): whether r, reading from w, would be half of a read-modify-write.
template <unsigned W> bool RcmcEngine<W>::reads_exclusively(const G& g, Id r, Id w) const {
  const Event& v = g[r];
  if (!updates(v.at->action.part)) return false;
  const std::uint64_t value = value_of(g, w, v.location);
  return states_.machine().satisfied(v.at->state, v.at->action, value) && states_.next(v.at, value)->action.rmw;
}

// The writes that r may see (lines 2, 3). pre: r was just added and reads from nothing.
template <unsigned W> std::vector<Id> RcmcEngine<W>::sources(Id r) {
  G& g = graph();
  const Location l = g[r].location;
  std::vector<Id> found;
  const Set view = happens_before(g, r);
  for (Id w = g.coherence_last(l);; w = g[w].co_before) {
    bool sees = true;
    if (weakly_) {
      g.set_reads_from(r, w);
      compute_rows(g, r, options_.model);
      sees = weak_.coherent(g, r);
      g.clear_reads_from(r);
    }
    if (sees) found.push_back(w);
    if (w == initial || (!weakly_ && Consistency<W>::is_floor(g, w, l, view))) return found;
  }
}

// Whether a read-modify-write has taken w, as far as r may not take it back (line 5).
template <unsigned W> bool RcmcEngine<W>::taken(Id r, Id w) const {
  const G& g = graph();
  const Set before = prefix_before(g, r);
  return g.readers_of(w, g[r].location).some([&](unsigned e) {
    if (static_cast<Id>(e) == r || !g.updates(static_cast<Id>(e))) return false;
    return !now_.revisitable.test(e) || before.test(e);
  });
}

// w0 of lines 7 to 9.
template <unsigned W> Id RcmcEngine<W>::first_source(Id r, const std::vector<Id>& coherent) const {
  const G& g = graph();
  const Set before = prefix_before(g, r);
  Id best = initial;
  for (const Id w : coherent) {
    if (w == initial || !before.test(g.bit(w))) continue;
    if (best == initial || std::pair(g[w].thread, g[w].index) > std::pair(g[best].thread, g[best].index)) best = w;
  }
  while (reads_exclusively(g, r, best)) {
    Id next = none;
    g.readers_of(best, g[r].location).each([&](unsigned e) {
      const Id write = g.event[e].po_after;
      if (write != none && g[write].is_update()) next = write;
    });
    if (next == none) break;
    best = next;
  }
  return best;
}

template <unsigned W> void RcmcEngine<W>::visit_read(Id r) {
  G& g = graph();
  const std::vector<Id> coherent = sources(r);
  const Id w0 = first_source(r, coherent);
  const Set before = prefix_before(g, r);
  for (const Id w : coherent) {                                           // line 11
    if (w == w0 || (reads_exclusively(g, r, w) && taken(r, w))) continue; // lines 4 to 6
    Configuration other = now_;
    other.revisitable -= before;
    if (w != initial) other.revisitable -= g.prefix_of(w);
    read(other.graph, r, w);
    other.fresh = {r};
    stack_.push_back(std::move(other));
  }
  read(g, r, w0); // line 10
  now_.revisitable.set(g.bit(r));
  judge_access(r);
}

// --- Algorithm 3 -----------------------------------------------------------------------------------------------------

template <unsigned W> void RcmcEngine<W>::visit_write(Id w) {
  G& g = graph();
  Event& v = g[w];
  compute_rows(g, w, options_.model);
  g.thread[v.thread].now = states_.next(v.at, 0);
  const Id last = g.coherence_last(v.location);
  if (!weakly_ && !v.is_update()) visit_places(w, last);
  g.place(w, !weakly_ && v.is_update() ? g[g.read_of_update(w)].reads_from : last); // lines 2, 3, 5, 6
  revisit_reads(now_, w);
  judge_access(w);
}

// The places of w before the last one (lines 7, 8).
template <unsigned W> void RcmcEngine<W>::visit_places(Id w, Id last) {
  const G& g = graph();
  const Location l = g[w].location;
  const Set view = happens_before(g, w), exclusive = exclusive_reads();
  Id after = last;
  while (!Consistency<W>::is_floor(g, after, l, view)) {
    const Id place = g[after].co_before;
    if (!g.readers_of(place, l).meets(exclusive)) {
      Configuration other = now_;
      other.revisitable -= g.prefix_of(w) | g.prefix_of(after);
      other.graph.place(w, place);
      other.fresh = {w};
      revisit_reads(other, w);
      stack_.push_back(std::move(other));
    }
    after = place;
  }
}

// --- Algorithms 4 and 5 ----------------------------------------------------------------------------------------------

// Pushes the configurations in which w revisits reads; the one in which it revisits none is left to the caller, unless
// w is the write of a read-modify-write that another one stands in the way of: then that one must be revisited.
template <unsigned W> void RcmcEngine<W>::revisit_reads(Configuration& c, Id w) {
  const Set must = must_revisit(c.graph, w); // line 5
  std::vector<Id> reads;
  const Set late = after(c.graph, must); // line 6
  const Set here = c.graph.location[c.graph[w].location].reads & c.revisitable;
  (here - c.graph.prefix_of(w) - must - late).each([&](unsigned r) { // lines 2, 3
    if (!comes_too_late(c.graph, static_cast<Id>(r), w)) reads.push_back(static_cast<Id>(r));
  });
  std::vector<Id> k1;
  choose(c, w, must, reads, k1, false);
  if (must.any()) c = revisited(c, w, {}, must);
}

// Whether r has seen, or been told of, a write after w (line 4).
template <unsigned W> bool RcmcEngine<W>::comes_too_late(const G& g, Id r, Id w) const {
  if (weakly_) return false; // nothing is after the newest write
  const Location l = g[w].location;
  const Set view = happens_before(g, r);
  for (Id later = g[w].co_after; later != none; later = g[later].co_after)
    if (view.test(g.bit(later)) || g.readers_of(later, l).meets(view)) return true;
  return false;
}

// The other exclusive read of what the read-modify-write of w reads: to keep it would break atomicity.
template <unsigned W> typename RcmcEngine<W>::Set RcmcEngine<W>::must_revisit(const G& g, Id w) const {
  Set found;
  if (!g[w].is_update()) return found;
  const Id own = g.read_of_update(w);
  g.readers_of(g[own].reads_from, g[w].location).each([&](unsigned r) {
    if (static_cast<Id>(r) != own && g.updates(static_cast<Id>(r))) found.set(r);
  });
  return found;
}

// Every set of reads of which none is before another and at most one becomes exclusive, but the empty one (line 7).
template <unsigned W>
void RcmcEngine<W>::choose(const Configuration& c, Id w, const Set& must, std::vector<Id> left, std::vector<Id>& k1,
                           bool exclusive) {
  while (!left.empty()) {
    const Id r = left.back();
    left.pop_back();
    const bool becomes = reads_exclusively(c.graph, r, w);
    if (becomes && exclusive) continue;
    const bool related = std::any_of(k1.begin(), k1.end(), [&](Id k) {
      return c.graph.prefix_of(k).test(G::bit(r)) || c.graph.prefix_of(r).test(G::bit(k));
    });
    if (related) continue;
    k1.push_back(r);
    stack_.push_back(revisited(c, w, k1, must));
    choose(c, w, must, left, k1, exclusive || becomes);
    k1.pop_back();
  }
}

// Lines 8 to 12.
template <unsigned W>
typename RcmcEngine<W>::Configuration RcmcEngine<W>::revisited(const Configuration& c, Id w, const std::vector<Id>& k1,
                                                               const Set& must) const {
  Configuration next = c;
  G& g = next.graph;
  Set k, chosen;
  for (const Id r : k1)
    chosen.set(G::bit(r));
  k = chosen | (must - after(g, chosen)); // line 8
  remove(g, after(g, k));                 // line 9
  for (auto& th : g.thread)
    th.stuck = false;
  k.each([&](unsigned r) { // line 10
    unread(g, static_cast<Id>(r));
    read(g, static_cast<Id>(r), w);
    next.fresh.push_back(static_cast<Id>(r));
  });
  next.revisitable &= g.used;
  for (const Id r : k1) // line 11
    next.revisitable -= g.prefix_of(r);
  next.revisitable -= chosen;
  return next;
}

// What comes after some of the events in (sb ∪ rf)+.
template <unsigned W> typename RcmcEngine<W>::Set RcmcEngine<W>::after(const G& g, const Set& events) {
  Set found;
  if (events.none()) return found;
  for (const Id e : g.order)
    if (g.prefix_of(e).meets(events)) found.set(G::bit(e));
  return found;
}

// Takes events out of a graph. pre: with each of them, what is after it.
template <unsigned W> void RcmcEngine<W>::remove(G& g, const Set& gone) {
  if (gone.none()) return;
  for (auto at = g.order.rbegin(); at != g.order.rend(); ++at) {
    const Id e = *at;
    if (!gone.test(G::bit(e))) continue;
    const Event& v = g[e];
    if (v.is_read()) unread(g, e);
    if (v.is_write()) g.displace(e);
    if (v.kind == ActionKind::Spawn) g.thread[v.value] = {};
    g.unlink(e);
  }
  std::erase_if(g.order, [&](Id e) { return !g.used.test(G::bit(e)); });
}

// --- what is found ---------------------------------------------------------------------------------------------------

// Reads that belong to a read-modify-write, or will.
template <unsigned W> typename RcmcEngine<W>::Set RcmcEngine<W>::exclusive_reads() const {
  Set found;
  for (const Id e : graph().order)
    if (graph()[e].is_read() && graph().updates(e)) found.set(G::bit(e));
  return found;
}

// Races and misuse of memory at an access that was just added or read anew, where the graph is an execution so far.
template <unsigned W> void RcmcEngine<W>::judge_access(Id e) {
  const G& g = graph();
  if (!looks_at_accesses_ || !sc_consistent()) return;
  const Id other = options_.races && g[e].kind != ActionKind::Free ? racing(g, e) : none;
  if (other != none)
    reporter_.report(g, ErrorKind::Race, "data race", g[e].at->action.position, static_cast<std::int32_t>(g[e].thread),
                     {other, e});
  reporter_.memory(g, e);
}

// Forgets the thread states that no configuration needs.
template <unsigned W> void RcmcEngine<W>::collect_states() {
  std::vector<LocalState*> live;
  for (const Configuration& c : stack_) {
    for (const auto& th : c.graph.thread)
      if (th.now) live.push_back(th.now);
    for (const Id e : c.graph.order)
      live.push_back(c.graph[e].at);
  }
  states_.collect(live);
}

} // namespace fencepost
