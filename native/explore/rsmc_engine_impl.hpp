#pragma once

#include "explore/rsmc_engine.hpp"
#include "explore/rsmc_model_impl.hpp"

#include <algorithm>

namespace fencepost {

template <unsigned W>
RsmcEngine<W>::RsmcEngine(LocalStates& states, const ExploreOptions& options, Results& results)
    : states_(states), options_(options), results_(results), model_(states, options),
      reporter_(states, options, results) {}

template <unsigned W> Progress RsmcEngine<W>::run(const Budget& budget) {
  const std::uint64_t start = results_.executions + results_.blocked;
  while (!frames_.empty()) {
    if (reporter_.failed()) return Progress::Failed;
    if (budget.spent()) return Progress::Paused;
    if (results_.executions + results_.blocked - start >= budget.executions) return Progress::Paused;
    step();
    if (model_.overflowed() && !told_) {
      told_ = true;
      reporter_.report(frames_.empty() ? G{} : frames_.back().sigma.g, ErrorKind::EventBound,
                       "an execution has more events and places than RSMC has room for (" +
                           std::to_string(rsmc::most_events) + ")",
                       0, -1, {});
    }
  }
  return reporter_.failed() ? Progress::Failed : Progress::Done;
}

template <unsigned W> void RsmcEngine<W>::step() {
  FP_ASSERT(!frames_.empty(), "a step should have a choice");
  Frame& f = frames_.back();
  FP_ASSERT(f.next <= f.successors.size(), "a choice should not be passed");
  if (f.next == f.successors.size()) return finish(f);
  Successor& s = f.successors[f.next++];
  FP_ASSERT(f.depth <= tau_.size(), "a run should be as long as its choices");
  tau_.resize(f.depth);
  tau_.push_back(s.commit);
  std::vector<Set> order = model_.order(s.after);
  look_at_order(f, s.after, order);
  if (f.traverses)
    traverse(std::move(s.after), std::move(order), Run(f.rest));
  else
    explore(std::move(s.after), std::move(order));
}

// Explore(τ, σ); σ is fetched as far as possible (line 1).
template <unsigned W> void RsmcEngine<W>::explore(State&& sigma, std::vector<Set>&& order) {
  while (is_faulty(sigma)) {
  }
  Frame f;
  f.sigma = std::move(sigma);
  f.order = std::move(order);
  f.e = model_.enabled(f.sigma, f.order); // line 2
  f.depth = tau_.size();
  if (f.e.event == none) return report(f.sigma, f.order);
  if (f.sigma.g[f.e.event].kind == ActionKind::Read) { // line 10
    P_[name_of(f.sigma, f.e)] = tau_;
    Q_[name_of(f.sigma, f.e)].clear();
  }
  f.successors = model_.commits(f.sigma, f.e); // lines 4, 11
  frames_.push_back(std::move(f));
}

// Traverse(τ, σ, τ').
template <unsigned W> void RsmcEngine<W>::traverse(State&& sigma, std::vector<Set>&& order, const Run& tau) {
  if (tau.empty()) return explore(std::move(sigma), std::move(order)); // lines 1, 2
  Frame f;
  f.traverses = true;
  f.order = std::move(order);
  f.e = {event_of(sigma, tau.front().event), tau.front().event.outcome}; // line 5
  f.depth = tau_.size();
  f.rest.assign(tau.begin() + 1, tau.end());
  if (f.e.event != none && model_.is_enabled(sigma, f.order, f.e))
    f.successors = model_.commits(sigma, f.e);
  else
    break_down(results_.unstable, sigma, f.e.event); // a template should be a run
  const rsmc::Commit& wanted = tau.front();
  if (wanted.load || wanted.place != rsmc::any_place) // line 11
    std::erase_if(f.successors, [&](const Successor& s) { return !(s.commit == wanted); });
  f.sigma = std::move(sigma);
  frames_.push_back(std::move(f));
}

// After all parameters of an event.
template <unsigned W> void RsmcEngine<W>::finish(Frame& f) {
  tau_.resize(f.depth);
  const CommittedEvent* const v = f.traverses || f.e.outcome ? nullptr : &f.sigma.g[f.e.event];
  if (v && v->kind == ActionKind::Write) detect_race(f); // line 8
  if (v && v->kind == ActionKind::Read && next_template(f)) return;
  if (f.successors.empty()) { // line 14 of Traverse
    if (v && (v->pair == none || has_late_operand(f))) break_down(results_.dead_ends, f.sigma, f.e.event);
    ++results_.blocked;
  }
  frames_.pop_back();
}

// Two read-modify-writes may read the same store: the second write has no place. That is nobody's fault, and loses
// nothing unless a load that the write needs was explored after its read (see Model::comes_early).
template <unsigned W> bool RsmcEngine<W>::has_late_operand(const Frame& f) {
  const Set& needed = f.order[static_cast<std::size_t>(f.e.event)];
  const Name read = name_of(f.sigma, {f.sigma.g[f.e.event].pair});
  std::size_t at = 0;
  while (tau_[at].event != read) {
    ++at;
    FP_REQUIRE(at < tau_.size(), "the read of an update should have been committed");
  }
  return std::any_of(tau_.begin() + static_cast<std::ptrdiff_t>(at) + 1, tau_.end(), [&](const rsmc::Commit& c) {
    return c.load && needed.test(G::bit(event_of(f.sigma, c.event))) && was_explored(c.event) &&
           P_[c.event].size() > at;
  });
}

// Whether Explore, not Traverse, committed this load in the present run.
template <unsigned W> bool RsmcEngine<W>::was_explored(Name load) {
  const Run& prefix = P_[load];
  return prefix.size() <= tau_.size() && std::equal(prefix.begin(), prefix.end(), tau_.begin());
}

// Lines 15 to 18 of Explore.
template <unsigned W> bool RsmcEngine<W>::next_template(Frame& f) {
  const std::vector<Run>& templates = Q_[name_of(f.sigma, f.e)];
  if (f.explored == templates.size()) return false;
  const Run next = templates[f.explored++];
  traverse(State(f.sigma), std::vector<Set>(f.order), next); // f may have moved
  return true;
}

// DetectRace(τ, σ, e).
template <unsigned W> void RsmcEngine<W>::detect_race(const Frame& f) {
  const State& sigma = f.sigma;
  const Before before = model_.before(sigma, f.order, f.e);
  const Name e = name_of(sigma, f.e);
  for (const rsmc::Commit& c : tau_) { // line 1
    if (!c.load) continue;
    const Id load = event_of(sigma, c.event);
    if (sigma.g[load].location != sigma.g[f.e.event].location) continue;
    if (before.events.test(sigma.g.bit(load))) {
      look_at_pair(f, load);
      continue;
    }
    if (!was_explored(c.event)) continue; // whoever explores it finds its races
    const Run& prefix = P_[c.event];
    Run found = normalize(prefix, cut(tau_, prefix.size(), before, sigma), f); // lines 2, 3
    found.push_back({e});                                                      // line 4
    found.push_back({c.event, e, rsmc::any_place, true});
    auto& templates = Q_[c.event];
    if (std::find(templates.begin(), templates.end(), found) == templates.end()) templates.push_back(found); // line 5
  }
}

// Appendix A.2: the events before e, with the places of stores as if the others had never been. The paper subtracts the
// places of removed stores, but those were counted at other times, when fewer stores were there: here they are inserted
// again, and the kept ones counted.
template <unsigned W>
rsmc::Run RsmcEngine<W>::cut(const Run& tau, std::size_t from, const Before& before, const State& sigma) const {
  Run kept;
  std::map<Location, std::vector<char>> stores; // in coherence order: whether each is kept
  for (std::size_t k = 0; k < tau.size(); ++k) {
    rsmc::Commit c = tau[k];
    const Id e = event_of(sigma, c.event);
    const bool keeps = k < from || (c.event.outcome ? before.outcomes : before.events).test(sigma.g.bit(e));
    if (is_store(sigma, c)) {
      auto& here = stores[sigma.g[e].location];
      FP_REQUIRE(c.place >= 0 && static_cast<std::size_t>(c.place) <= here.size(), "a store should have a place");
      const auto at = here.begin() + c.place;
      c.place = std::count(here.begin(), at, 1);
      here.insert(at, keeps);
    }
    if (keeps && k >= from) kept.push_back(c);
  }
  return kept;
}

// The same events in a fixed order that respects cb; the places of stores follow.
template <unsigned W> rsmc::Run RsmcEngine<W>::normalize(const Run& prefix, const Run& tau, const Frame& f) const {
  const State& sigma = f.sigma;
  std::map<Location, std::vector<Name>> places;
  const auto insert = [&](const rsmc::Commit& c) {
    if (!is_store(sigma, c)) return;
    auto& here = places[sigma.g[event_of(sigma, c.event)].location];
    here.insert(here.begin() + c.place, c.event);
  };
  std::for_each(prefix.begin(), prefix.end(), insert);
  std::for_each(tau.begin(), tau.end(), insert);
  Before rest;
  std::vector<Before> before;
  for (const rsmc::Commit& c : tau) {
    const Id e = event_of(sigma, c.event);
    (c.event.outcome ? rest.outcomes : rest.events).set(sigma.g.bit(e));
    before.push_back(model_.before(sigma, f.order, {e, c.event.outcome}));
  }
  Run done;
  std::vector<Name> stores;
  for (const rsmc::Commit& c : prefix)
    stores.push_back(c.event);
  while (done.size() < tau.size()) {
    const rsmc::Commit* least = nullptr;
    for (std::size_t k = 0; k < tau.size(); ++k) {
      const rsmc::Commit& c = tau[k];
      const bool left = (c.event.outcome ? rest.outcomes : rest.events).test(sigma.g.bit(event_of(sigma, c.event)));
      const bool ready = !before[k].events.meets(rest.events) && !before[k].outcomes.meets(rest.outcomes);
      if (left && ready && (!least || c.event < least->event)) least = &c;
    }
    FP_ASSERT(least != nullptr, "commit-before should be acyclic");
    if (!least) return {};
    rsmc::Commit c = *least;
    const Id e = event_of(sigma, c.event);
    (c.event.outcome ? rest.outcomes : rest.events).reset(sigma.g.bit(e));
    if (is_store(sigma, c)) {
      const auto& here = places[sigma.g[e].location];
      c.place = 0;
      FP_ASSERT(std::find(here.begin(), here.end(), c.event) != here.end(), "a store should be at its location");
      for (auto other = here.begin(); *other != c.event; ++other)
        c.place += std::find(stores.begin(), stores.end(), *other) != stores.end();
    }
    stores.push_back(c.event);
    done.push_back(c);
  }
  return done;
}

// --- what the paper asks of commit-before ----------------------------------------------------------------------------

template <unsigned W> void RsmcEngine<W>::break_down(std::uint64_t& count, const State& sigma, Id e) {
  if (++count == 1 && e != none) results_.doubt = {sigma.g[e].action().position, sigma.g[e].action().position};
}

// The load is before the store. Where the axioms let it read from the store all the same, an execution may be missing.
template <unsigned W> void RsmcEngine<W>::look_at_pair(const Frame& f, Id load) {
  if (options_.valid_commit_before) return;
  const State& sigma = f.sigma;
  const Id store = f.e.event;
  const std::pair names{name_of(sigma, {load}), name_of(sigma, {store})};
  if (looked_at_[names] || !model_.may_read(sigma, f.order, load, store)) return;
  looked_at_[names] = true;
  if (++results_.unjustified == 1) results_.doubt = {sigma.g[load].action().position, sigma.g[store].action().position};
}

// Condition (iii) of monotonicity, for the step from f to a state after it.
template <unsigned W>
void RsmcEngine<W>::look_at_order(const Frame& f, const State& after, const std::vector<Set>& order) {
  const State& sigma = f.sigma;
  if (const Id e = model_.depends_on_outcome(); e != none) break_down(results_.unstable, after, e);
  for (const Id e : sigma.g.order) {
    if (e == f.e.event || !sigma.g.used.test(sigma.g.bit(e))) continue;
    const CommittedEvent& v = sigma.g[e];
    if (!v.is_read() && v.kind != ActionKind::Write) continue;
    const bool open = sigma.open.test(sigma.g.bit(e));
    if (open && !model_.is_enabled(sigma, f.order, {e})) continue;
    const Id now = event_of(after, name_of(sigma, {e}));
    const Set& was = f.order[static_cast<std::size_t>(e)];
    // Whatever is before it was committed, and keeps its number.
    if (now != none && order[static_cast<std::size_t>(now)] == was) continue;
    break_down(results_.unstable, sigma, e);
  }
}

// --- what is found ---------------------------------------------------------------------------------------------------

// Whether a thread stands before something that cannot be an event; it halts there.
template <unsigned W> bool RsmcEngine<W>::is_faulty(State& sigma) {
  G& g = sigma.g;
  for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
    auto& th = g.thread[t];
    if (!th.begin || th.halted || sigma.open.meets(th.events)) continue;
    auto trouble = reporter_.fault(g, t);
    if (!trouble) continue;
    th.halted = true;
    sigma.faults.emplace_back(t, std::move(*trouble));
    return true;
  }
  return false;
}

template <unsigned W> void RsmcEngine<W>::report(State& sigma, const std::vector<Set>& order) {
  G& g = sigma.g;
  if (sigma.open.any()) { // what can never be committed came too late: no thread waits, the run is none
    ++results_.blocked;
    return break_down(results_.unstable, sigma, static_cast<Id>(sigma.open.first()));
  }
  bool ended = true, error = false;
  for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
    const auto& th = g.thread[t];
    if (!th.begin) continue;
    ended &= th.now->action.kind == ActionKind::End;
    error |= th.halted && g.at_slot(t, th.now->state.events) == none;
  }
  for (const auto& [t, fault] : sigma.faults)
    reporter_.report(g, fault.kind, fault.message, g.thread[t].now->action.position, static_cast<std::int32_t>(t), {});
  for (const Id e : g.order) {
    g.prefix[static_cast<std::size_t>(e)] = order[static_cast<std::size_t>(e)];
    const bool touches = g[e].is_read() || g[e].is_write() || g[e].kind == ActionKind::Free;
    if (g.shown(e) && touches && reporter_.memory(g, e)) break;
  }
  if (error)
    ++results_.erroneous;
  else if (ended)
    reporter_.complete(g);
  else if (std::any_of(g.order.begin(), g.order.end(),
                       [&](Id e) { return g[e].stuck && g.coherence_after(g[e].reads_from, g[e].location) != none; }))
    ++results_.blocked; // it waits, and would look again
  else
    reporter_.blocked(g);
}

} // namespace fencepost
