#include "explore/rsmc_engine.hpp"

#include "explore/reporter_impl.hpp"
#include "models/commit_before.hpp"

#include <algorithm>

namespace fencepost {

RsmcEngine::RsmcEngine(LocalStates& states, const ExploreOptions& options, Results& results)
    : states_(states), options_(options), results_(results), model_(states, options),
      reporter_(states, options, results) {}

Progress RsmcEngine::run(const Budget& budget) {
  const std::uint64_t start = results_.executions + results_.blocked;
  while (!frames_.empty()) {
    if (reporter_.failed()) return Progress::Failed;
    if (budget.stopped() || std::chrono::steady_clock::now() >= budget.deadline) return Progress::Paused;
    if (results_.executions + results_.blocked - start >= budget.executions) return Progress::Paused;
    step();
    if (model_.overflowed() && !told_) {
      told_ = true;
      reporter_.report(frames_.empty() ? rsmc::G{} : frames_.back().sigma.g, ErrorKind::EventBound,
                       "an execution has too many events for RSMC", 0, -1, {});
    }
  }
  return reporter_.failed() ? Progress::Failed : Progress::Done;
}

void RsmcEngine::step() {
  Frame& f = frames_.back();
  if (f.next == f.successors.size()) return finish(f);
  rsmc::Successor& s = f.successors[f.next++];
  tau_.resize(f.depth);
  tau_.push_back(s.commit);
  if (f.traverses)
    traverse(std::move(s.after), Run(f.rest));
  else
    explore(std::move(s.after));
}

// Explore(τ, σ); σ is fetched as far as possible (line 1).
void RsmcEngine::explore(State&& sigma) {
  while (is_faulty(sigma)) {
  }
  Frame f;
  f.sigma = std::move(sigma);
  f.order = model_.order(f.sigma);
  f.e = model_.enabled(f.sigma, f.order); // line 2
  f.depth = tau_.size();
  if (f.e == none) return report(f.sigma);
  if (f.sigma.g[f.e].kind == ActionKind::Read) { // line 10
    P_[name_of(f.sigma, f.e)] = tau_;
    Q_[name_of(f.sigma, f.e)].clear();
  }
  f.successors = model_.commits(f.sigma, f.e); // lines 4, 11
  frames_.push_back(std::move(f));
}

// Traverse(τ, σ, τ').
void RsmcEngine::traverse(State&& sigma, const Run& tau) {
  if (tau.empty()) return explore(std::move(sigma)); // lines 1, 2
  Frame f;
  f.traverses = true;
  f.e = event_of(sigma, tau.front().event); // line 5
  f.depth = tau_.size();
  f.rest.assign(tau.begin() + 1, tau.end());
  if (f.e != none && sigma.open.test(sigma.g.bit(f.e))) f.successors = model_.commits(sigma, f.e);
  if (const rsmc::Commit& wanted = tau.front(); wanted.load || wanted.place != rsmc::any_place) // line 11
    std::erase_if(f.successors, [&](const rsmc::Successor& s) { return !(s.commit == wanted); });
  f.sigma = std::move(sigma);
  frames_.push_back(std::move(f));
}

// After all parameters of an event.
void RsmcEngine::finish(Frame& f) {
  tau_.resize(f.depth);
  const CommittedEvent* const v = f.traverses ? nullptr : &f.sigma.g[f.e];
  if (v && v->kind == ActionKind::Write) detect_race(f); // line 8
  if (v && v->kind == ActionKind::Read && next_template(f)) return;
  if (f.successors.empty()) { // line 14 of Traverse
    // Two read-modify-writes may read the same store: the second has no place, and that is nobody's fault.
    if (v && v->pair == none) ++results_.dead_ends;
    ++results_.blocked;
  }
  frames_.pop_back();
}

// Lines 15 to 18 of Explore.
bool RsmcEngine::next_template(Frame& f) {
  const std::vector<Run>& templates = Q_[name_of(f.sigma, f.e)];
  if (f.explored == templates.size()) return false;
  const Run next = templates[f.explored++];
  traverse(State(f.sigma), next); // f may have moved
  return true;
}

// DetectRace(τ, σ, e).
void RsmcEngine::detect_race(const Frame& f) {
  const State& sigma = f.sigma;
  const Set& before = f.order[static_cast<std::size_t>(f.e)];
  for (const rsmc::Commit& c : tau_) { // line 1
    if (!c.load) continue;
    const Id load = event_of(sigma, c.event);
    if (before.test(sigma.g.bit(load)) || sigma.g[load].location != sigma.g[f.e].location) continue;
    const Run& prefix = P_[c.event];
    // A load that Traverse committed has no call of Explore in this run: whoever explores it finds its races.
    if (prefix.size() > tau_.size() || !std::equal(prefix.begin(), prefix.end(), tau_.begin())) continue;
    Run found = normalize(prefix, cut(tau_, prefix.size(), before, sigma), f); // lines 2, 3
    found.push_back({name_of(sigma, f.e)});                                    // line 4
    found.push_back({c.event, name_of(sigma, f.e), rsmc::any_place, true});
    auto& templates = Q_[c.event];
    if (std::find(templates.begin(), templates.end(), found) == templates.end()) templates.push_back(found); // line 5
  }
}

// Appendix A.2: the events before e, with the places of stores as if the others had never been. The paper subtracts the
// places of removed stores, but those were counted at other times, when fewer stores were there: here they are inserted
// again, and the kept ones counted.
RsmcEngine::Run RsmcEngine::cut(const Run& tau, std::size_t from, const Set& before, const State& sigma) const {
  Run kept;
  std::map<Location, std::vector<char>> stores; // in coherence order: whether each is kept
  for (std::size_t k = 0; k < tau.size(); ++k) {
    rsmc::Commit c = tau[k];
    const Id e = event_of(sigma, c.event);
    const bool keeps = k < from || before.test(sigma.g.bit(e));
    if (sigma.g[e].kind == ActionKind::Write) {
      auto& here = stores[sigma.g[e].location];
      const auto at = here.begin() + c.place;
      c.place = std::count(here.begin(), at, 1);
      here.insert(at, keeps);
    }
    if (keeps && k >= from) kept.push_back(c);
  }
  return kept;
}

// The same events in a fixed order that respects cb; the places of stores follow.
RsmcEngine::Run RsmcEngine::normalize(const Run& prefix, const Run& tau, const Frame& f) const {
  const State& sigma = f.sigma;
  std::map<Location, std::vector<Name>> places;
  const auto insert = [&](const rsmc::Commit& c) {
    const CommittedEvent& v = sigma.g[event_of(sigma, c.event)];
    if (v.kind != ActionKind::Write) return;
    auto& here = places[v.location];
    here.insert(here.begin() + c.place, c.event);
  };
  std::for_each(prefix.begin(), prefix.end(), insert);
  std::for_each(tau.begin(), tau.end(), insert);
  Set rest;
  for (const rsmc::Commit& c : tau)
    rest.set(sigma.g.bit(event_of(sigma, c.event)));
  Run done;
  std::vector<Name> stores;
  for (const rsmc::Commit& c : prefix)
    stores.push_back(c.event);
  while (done.size() < tau.size()) {
    const rsmc::Commit* least = nullptr;
    for (const rsmc::Commit& c : tau) {
      const auto e = static_cast<std::size_t>(event_of(sigma, c.event));
      if (rest.test(static_cast<unsigned>(e)) && !f.order[e].meets(rest) && (!least || c.event < least->event))
        least = &c;
    }
    assert(least && "commit-before should be acyclic");
    rsmc::Commit c = *least;
    const Id e = event_of(sigma, c.event);
    rest.reset(sigma.g.bit(e));
    if (sigma.g[e].kind == ActionKind::Write) {
      const auto& here = places[sigma.g[e].location];
      c.place = 0;
      for (auto other = here.begin(); *other != c.event; ++other)
        c.place += std::find(stores.begin(), stores.end(), *other) != stores.end();
    }
    stores.push_back(c.event);
    done.push_back(c);
  }
  return done;
}

// --- what is found ---------------------------------------------------------------------------------------------------

// Whether a thread stands before something that cannot be an event; it halts there.
bool RsmcEngine::is_faulty(State& sigma) {
  rsmc::G& g = sigma.g;
  for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
    auto& th = g.thread[t];
    if (!th.begin || th.halted || sigma.open.meets(th.events)) continue;
    const Action& a = th.now->action;
    auto trouble = reporter_.fault(g, t);
    if (!trouble && (a.part == Part::Exclusive || a.conditional >= 0))
      trouble = Trouble{ErrorKind::Unsupported, "RSMC has no exclusive accesses"};
    if (!trouble) continue;
    th.halted = true;
    sigma.faults.emplace_back(t, std::move(*trouble));
    return true;
  }
  return false;
}

void RsmcEngine::report(State& sigma) {
  rsmc::G& g = sigma.g;
  bool ended = sigma.open.none(), error = false;
  for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
    const auto& th = g.thread[t];
    if (!th.begin) continue;
    ended &= th.now->action.kind == ActionKind::End;
    error |= th.halted && g.at_slot(t, th.now->state.events) == none;
  }
  const std::vector<Set> order = model_.order(sigma);
  for (const auto& [t, fault] : sigma.faults)
    if (sigma.open.none())
      reporter_.report(g, fault.kind, fault.message, g.thread[t].now->action.position, static_cast<std::int32_t>(t),
                       {});
  for (const Id e : g.order) {
    g.prefix[static_cast<std::size_t>(e)] = order[static_cast<std::size_t>(e)];
    const bool touches = g[e].is_read() || g[e].is_write() || g[e].kind == ActionKind::Free;
    if (g.shown(e) && touches && reporter_.memory(g, e)) break;
  }
  if (options_.forwards)
    results_.may_miss |= std::any_of(g.order.begin(), g.order.end(), [&](Id e) { return forwarded(g, e); });
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
