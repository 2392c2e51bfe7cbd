#include "states/search.hpp"

#include "vm/contract.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

namespace fencepost::states {
namespace {

constexpr std::size_t batch = 4096;          // states per turn and thread: bounds the buffers and the reaction time
constexpr std::size_t worth_a_thread = 1024; // smaller batches are done before a second thread has started
constexpr std::size_t max_errors = 16;

std::uint64_t mix(std::uint64_t h) {
  h = (h ^ (h >> 31)) * 0x9E3779B97F4A7C15ULL;
  return (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9ULL;
}

// Whether a thread has ended and may be joined: who ends the whole program is not.
bool ends_alone(const LocalState& l) { return l.kind == LabelKind::End && !l.action.process; }

template <class F> void in_parallel(std::size_t jobs, F f) {
  std::vector<std::exception_ptr> wrong(jobs);
  const auto run = [&](std::size_t k) {
    try {
      f(k);
    } catch (...) {
      wrong[k] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (std::size_t k = 1; k < jobs; ++k)
    others.emplace_back(run, k);
  run(0);
  for (std::thread& t : others)
    t.join();
  for (const std::exception_ptr& problem : wrong)
    if (problem) std::rethrow_exception(problem);
}

LocalStates::Reading reading(Against model) {
  using enum LocalStates::Reading;
  return is_rc11(model) ? Orders : model == Against::Tso ? Hardware : Lowered;
}

} // namespace

Search::Search(const Bytecode& program, SearchOptions options)
    : program_(program), options_(options), locals_(program, reading(options.against), options.critical_values),
      monitor_(plan_), rc11_(plan_), workers_(std::max(1U, options.jobs)) {
  if (options_.depth_first) workers_.resize(1);
  if (!locals_.unsupported().empty())
    status_ = SearchStatus::Unsupported;
  else
    look_ahead();
}

// --- the loop

bool Search::advance(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::vector<std::uint32_t> ids;
  while (status_ == SearchStatus::Running) {
    if (!next_batch(ids)) {
      if (plan_.scouting) {
        restart(false);
        continue;
      }
      status_ = SearchStatus::Robust;
      break;
    }
    run_batch(std::move(ids));
    if (status_ == SearchStatus::Running) check_limits();
    if (Clock::now() >= end) break;
  }
  return status_ != SearchStatus::Running;
}

bool Search::next_batch(std::vector<std::uint32_t>& ids) {
  ids.clear();
  const auto shards = static_cast<std::uint32_t>(shards_.size());
  if (options_.depth_first) {
    if (stack_.empty()) return false;
    ids.push_back(stack_.back());
    stack_.pop_back();
    return true;
  }
  for (int attempt = 0; attempt < 2 && ids.empty(); ++attempt) {
    for (std::uint32_t s = 0; s < shards; ++s)
      for (std::size_t k = 0; k < batch && next_[s] < level_end_[s]; ++k)
        ids.push_back(next_[s]++ * shards + s);
    if (!ids.empty()) break;
    for (std::uint32_t s = 0; s < shards; ++s)
      level_end_[s] = shards_[s].size();
    ++depth_;
  }
  return !ids.empty();
}

void Search::run_batch(std::vector<std::uint32_t> ids) {
  const bool parallel = workers_.size() > 1 && ids.size() >= worth_a_thread;
  expand_all(ids, parallel);
  insert_all(parallel);
  collect();
  while (status_ == SearchStatus::Running) {
    ids.clear();
    for (Worker& w : workers_) {
      ids.insert(ids.end(), w.deferred.begin(), w.deferred.end());
      w.deferred.clear();
    }
    if (ids.empty() || !learn()) return;
    expand_all(ids, false);
    insert_all(false);
    collect();
  }
}

void Search::expand_all(const std::vector<std::uint32_t>& ids, bool parallel) {
  const std::size_t jobs = parallel ? workers_.size() : 1;
  in_parallel(jobs, [&](std::size_t k) {
    Worker& w = workers_[k];
    for (std::size_t at = ids.size() * k / jobs; at < ids.size() * (k + 1) / jobs && !w.finding; ++at)
      expand(w, ids[at]);
  });
}

void Search::insert_all(bool parallel) {
  in_parallel(parallel ? workers_.size() : 1, [&](std::size_t k) {
    for (std::size_t s = k; s < shards_.size(); s += parallel ? workers_.size() : 1)
      insert_shard(static_cast<std::uint32_t>(s));
  });
  for (std::size_t s = 0; s < shards_.size() && options_.hash_compact; ++s)
    if (std::all_of(workers_.begin(), workers_.end(), [](const Worker& w) { return w.deferred.empty(); }))
      shards_[s].release_before(next_[s]);
}

void Search::insert_shard(std::uint32_t shard) {
  FP_ASSERT(shard < shards_.size(), "a shard should be there");
  StateSet& set = shards_[shard];
  const std::size_t stride = codec_.words() + 2;
  for (Worker& w : workers_) {
    std::vector<std::uint64_t>& out = w.out[shard];
    FP_ASSERT(out.size() % stride == 0, "a buffer should hold whole states");
    for (std::size_t at = 0; at < out.size(); at += stride) {
      if (at + 4 * stride < out.size()) set.prefetch(out[at + 4 * stride]);
      const std::uint32_t fresh = set.insert(&out[at + 2], out[at], static_cast<std::uint32_t>(out[at + 1]));
      if (fresh != StateSet::none && options_.depth_first) stack_.push_back(fresh);
    }
    out.clear();
  }
}

void Search::collect() {
  for (Worker& w : workers_) {
    for (const ErrorFound& e : w.errors) {
      const bool known = std::any_of(errors_.begin(), errors_.end(), [&](const ErrorFound& other) {
        return other.position == e.position && other.kind == e.kind;
      });
      if (!known && errors_.size() < max_errors) errors_.push_back(e);
    }
    w.errors.clear();
    if (w.finding && !finding_) finding_ = w.finding;
  }
  if (!finding_) return;
  status_ = finding_->race ? SearchStatus::Race : SearchStatus::Diverges;
  finding_state_ = initial();
  for (const Worker& w : workers_)
    if (w.finding && w.finding->state == finding_->state) finding_state_ = w.state;
}

void Search::check_limits() {
  std::uint64_t states = 0, bytes = locals_.bytes();
  for (const StateSet& s : shards_) {
    states += s.size();
    bytes += s.bytes_after_growth();
  }
  bytes += stack_.capacity() * sizeof(std::uint32_t);
  if (plan_.scouting && (states >= scouted_ || bytes > options_.memory)) return restart(false);
  if (states >= options_.states) status_ = SearchStatus::StateLimit;
  if (bytes > options_.memory) status_ = SearchStatus::MemoryLimit;
}

// --- what is learned on the way

// Who may do what decides the shape of the monitor. So the search first runs without one, where states are few, and
// runs so again, longer, whenever it has learned something that the monitor is not prepared for.
void Search::look_ahead() {
  scouted_ *= 4;
  restart(true);
}

void Search::restart(bool scouting) {
  plan_ = scouting ? Plan::scout(locals_, options_.against) : Plan::make(locals_, options_.against);
  marked_.clear();
  for (std::uint32_t t = 0; t < locals_.threads(); ++t)
    for (std::uint32_t n = 0; n < locals_.count(t); ++n) {
      locals_.at(t, n).next_v.clear();
      locals_.at(t, n).next_x.clear();
      locals_.at(t, n).before.clear();
    }
  static_cast<void>(mark_new()); // whatever there is, the plan is being made for it
  codec_ = Codec(locals_, plan_);
  shards_.clear();
  for (std::size_t s = 0; s < workers_.size(); ++s)
    shards_.emplace_back(codec_.bytes(), options_.hash_compact);
  next_.assign(shards_.size(), 0);
  level_end_.assign(shards_.size(), 0);
  stack_.clear();
  errors_.clear();
  depth_ = 0;
  for (Worker& w : workers_) {
    const std::uint64_t transitions = w.transitions;
    w = Worker{};
    w.transitions = transitions;
    w.out.resize(shards_.size());
    w.packed.resize(codec_.words() + 1);
  }
  const State s = initial();
  Worker& w = workers_[0];
  codec_.pack(s, w.packed.data());
  const std::uint64_t h = hash(s, w.packed.data());
  const std::size_t shard = shard_of(s);
  w.out[shard].assign({h, StateSet::none});
  w.out[shard].insert(w.out[shard].end(), w.packed.begin(), w.packed.begin() + codec_.words());
  insert_all(false);
}

bool Search::mark_new() {
  bool expected = true;
  const std::vector<std::uint32_t> known = marked_;
  if (marked_v_ != plan_.v_count || marked_x_ != plan_.x_count) marked_.clear();
  marked_.resize(locals_.threads(), 0);
  for (std::uint32_t t = 0; t < locals_.threads(); ++t) {
    for (; marked_[t] < locals_.count(t); ++marked_[t])
      plan_.mark(locals_, locals_.at(t, marked_[t]));
    if (!plan_.scouting) expected &= plan_.look_back(locals_, t, t < known.size() ? known[t] : 0, marked_v_, marked_x_);
  }
  marked_v_ = plan_.v_count;
  marked_x_ = plan_.x_count;
  return expected;
}

bool Search::learn() {
  for (Worker& w : workers_) {
    for (const Miss& m : w.misses)
      locals_.compute(m.thread, m.local, m.key, m.other);
    w.misses.clear();
  }
  if (!locals_.unsupported().empty()) {
    status_ = SearchStatus::Unsupported;
    return false;
  }
  const std::uint32_t rows = plan_.rows;
  const bool outdated = plan_.outdated(locals_);
  if (!outdated) plan_.grow(locals_);
  if (outdated || !mark_new()) {
    ++restarts_;
    look_ahead();
    return false;
  }
  if (rows != plan_.rows || !codec_.fits(locals_, plan_)) repack();
  return true;
}

void Search::repack() {
  const Codec wider(locals_, plan_);
  State s;
  std::vector<std::uint64_t> packed(wider.words() + 1);
  for (std::uint32_t k = 0; k < shards_.size(); ++k) {
    StateSet fresh(wider.bytes(), options_.hash_compact);
    const StateSet& old = shards_[k];
    for (std::uint32_t number = 0; number < old.size(); ++number) {
      if (old.kept(number)) {
        codec_.unpack(old.record(number), s, plan_);
        wider.pack(s, packed.data());
      }
      // A hash of the exact search covers the packed record; that of the compact one does not depend on packing.
      const std::uint64_t h = options_.hash_compact ? old.hash(number) : hash_words(packed.data(), wider.words());
      fresh.insert(packed.data(), h, old.parent(number));
    }
    shards_[k] = std::move(fresh);
  }
  codec_ = wider;
  for (Worker& w : workers_)
    w.packed.resize(codec_.words() + 1);
}

// --- one state

State Search::initial() const {
  State s;
  s.locals.assign(plan_.threads, not_started);
  for (std::uint32_t t = 0; t < program_.threads.size(); ++t)
    s.locals[t] = locals_.start(t);
  s.values.assign(plan_.places.size(), 0);
  s.writers.assign(plan_.model == Against::Tso ? plan_.monitored : 0, 0);
  s.rows.assign(plan_.rows, 0);
  return s;
}

std::uint64_t Search::hash(const State& s, const std::uint64_t* packed) const {
  if (!options_.hash_compact) return hash_words(packed, codec_.words());
  std::uint64_t h = 0;
  std::uint64_t place = 1;
  const auto add = [&](std::uint64_t value) {
    if (value) h += mix(value + mix(place)); // zeros add nothing, so rows may grow
    ++place;
  };
  for (std::size_t t = 0; t < s.locals.size(); ++t)
    place = t << 48, add(s.locals[t]);
  place = std::uint64_t{1} << 40;
  for (const std::uint32_t v : s.values)
    add(v);
  place = std::uint64_t{2} << 40;
  for (const std::uint32_t v : s.writers)
    add(v);
  const std::uint64_t* at = s.rows.data();
  const auto rows = [&](std::uint64_t base, std::uint32_t count, const std::vector<Plan::Row>& kinds) {
    for (std::uint32_t k = 0; k < count; ++k)
      for (std::size_t row = 0; row < kinds.size(); ++row) {
        place = (base << 57) + (std::uint64_t{k} << 36) + (row << 16);
        for (std::uint32_t word = 0; word < plan_.words(kinds[row].kind); ++word)
          add(*at++);
      }
  };
  rows(1, plan_.threads, plan_.thread_rows);
  rows(2, plan_.monitored, plan_.location_rows);
  rows(3, 1, plan_.global_rows);
  return mix(h);
}

// A state stays in its shard when states are packed anew, so this looks at numbers, not at bits.
std::size_t Search::shard_of(const State& s) const {
  if (shards_.size() == 1) return 0;
  std::uint64_t h = 0, place = 0;
  const auto add = [&](std::uint32_t number) {
    h += mix(number * (place += 2));
  }; // 0 adds nothing: there may come more
  for (const std::uint32_t local : s.locals)
    add(local);
  place = 1;
  for (const std::uint32_t value : s.values)
    add(value);
  return (h >> 32) % shards_.size();
}

void Search::load(std::uint32_t id, State& s) const {
  const auto shards = static_cast<std::uint32_t>(shards_.size());
  FP_ASSERT(id / shards < shards_[id % shards].size(), "a state that is looked at should have been met");
  FP_ASSERT(shards_[id % shards].kept(id / shards), "a state that is looked at should be kept");
  codec_.unpack(shards_[id % shards].record(id / shards), s, plan_);
}

void Search::expand(Worker& w, std::uint32_t id) const {
  load(id, w.state);
  if (!plan_.scouting) judge(w, id);
  if (w.finding) return;
  const std::size_t missed = w.misses.size();
  const std::uint64_t before = w.transitions;
  successors(w.state, w.next, &w.misses, [&](std::uint32_t, const Successor*, std::uint32_t) {
    ++w.transitions;
    codec_.pack(w.next, w.packed.data());
    const std::uint64_t h = hash(w.next, w.packed.data());
    std::vector<std::uint64_t>& out = w.out[shard_of(w.next)];
    out.push_back(h);
    out.push_back(id);
    out.insert(out.end(), w.packed.begin(), w.packed.begin() + codec_.words());
  });
  if (w.misses.size() != missed)
    w.deferred.push_back(id);
  else if (w.transitions == before && !plan_.scouting)
    find_deadlock(w, id);
}

// With which values the label of a thread can happen in this state; empty where it has to wait or the thread is over.
Search::Keys Search::keys(const State& s, const LocalState& l) const {
  constexpr Keys nothing{1, 0, 0};
  std::uint32_t other = 0;
  switch (l.kind) {
  case LabelKind::End:
  case LabelKind::Blocked:
  case LabelKind::Error:
    return nothing;
  case LabelKind::Await:
  case LabelKind::BlockingCas:
  case LabelKind::Read:
  case LabelKind::Update:
  case LabelKind::Cas: {
    const std::uint32_t value = s.values[static_cast<std::size_t>(l.location)];
    return locals_.allows(l, value) ? Keys{value, value, 0} : nothing;
  }
  case LabelKind::Choose:
    return {0, static_cast<std::uint32_t>(l.action.high - l.action.value), 0};
  case LabelKind::Spawn: // threads are numbered in the order in which they start
    while (other < plan_.threads && s.locals[other] != not_started)
      ++other;
    return {other, other, other};
  case LabelKind::Join:
    other = static_cast<std::uint32_t>(std::min<std::uint64_t>(l.action.value, UINT32_MAX));
    if (other >= plan_.threads || !ends_alone(locals_.at(other, s.locals[other]))) return nothing;
    return {s.locals[other], s.locals[other], other};
  default:
    return {0, 0, 0};
  }
}

// A thread whose next label concerns nobody else goes first and alone: its step commutes with all others. The label
// after it must be a visible one, so that such steps cannot follow each other for ever and starve the other threads.
// (This is all the partial-order reduction there is: the monitor makes every two accesses of memory depend.)
std::uint32_t Search::alone(const State& s) const {
  for (std::uint32_t t = 0; t < plan_.threads; ++t) {
    const LocalState& l = locals_.at(t, s.locals[t]);
    if (!plan_.invisible(l)) continue;
    const Keys k = keys(s, l);
    bool settles = k.first <= k.last;
    for (std::uint32_t key = k.first; key <= k.last && settles; ++key) {
      const Successor* to = LocalStates::find(l, key); // where it is unknown this state comes back
      settles = !to || !plan_.invisible(locals_.at(t, to->next));
    }
    if (settles) return t;
  }
  return plan_.threads;
}

template <class F> void Search::successors(const State& s, State& next, std::vector<Miss>* misses, F emit) const {
  const std::uint32_t only = alone(s);
  for (std::uint32_t t = 0; t < plan_.threads; ++t) {
    if (only < plan_.threads && t != only) continue;
    const LocalState& l = locals_.at(t, s.locals[t]);
    const Keys k = keys(s, l);
    for (std::uint32_t key = k.first; key <= k.last; ++key) {
      const Successor* to = LocalStates::find(l, key);
      if (!to) {
        if (misses) misses->push_back({t, s.locals[t], key, k.other});
        continue;
      }
      apply(s, next, t, l, *to, k.other);
      emit(t, to, k.other);
    }
  }
}

void Search::apply(const State& s, State& next, std::uint32_t t, const LocalState& l, const Successor& to,
                   std::uint32_t other) const {
  next = s;
  next.locals[t] = to.next;
  if (is_rc11(plan_.model)) return apply_rc11(s, next, t, l, to, other);
  const bool update = to.written != no_value && l.kind != LabelKind::Write;
  if (l.location >= 0) {
    const auto k = static_cast<std::size_t>(l.location);
    const Plan::Place& place = plan_.places[k];
    const auto x = static_cast<std::uint32_t>(place.index);
    const std::uint32_t old = s.values[k];
    if (to.written != no_value) next.values[k] = to.written;
    if (update && place.index < 0) monitor_.fence(next, t); // locked: the store buffer drains
    if (place.index >= 0) {
      if (to.written != no_value)
        monitor_.write(next, t, x, update, place.v_value[old], place.x_value[old]);
      else
        monitor_.read(next, t, x);
    }
  } else if (l.kind == LabelKind::Fence) {
    monitor_.fence(next, t);
  } else if (l.kind == LabelKind::Spawn) {
    next.locals[other] = to.child;
    monitor_.spawn(next, t, other);
  } else if (l.kind == LabelKind::Join) {
    monitor_.join(next, t, other);
  }
  const LabelKind then = locals_.at(t, to.next).kind;
  const bool over = then == LabelKind::Blocked || then == LabelKind::Error;
  if (over || (then == LabelKind::End && t < program_.threads.size())) monitor_.forget(next, t);
  if (options_.settle) monitor_.settle(next, locals_);
}

void Search::apply_rc11(const State& s, State& next, std::uint32_t t, const LocalState& l, const Successor& to,
                        std::uint32_t other) const {
  const auto k = static_cast<std::size_t>(l.location);
  const std::uint32_t old = l.location >= 0 ? s.values[k] : 0;
  if (l.location >= 0 && to.written != no_value) next.values[k] = to.written;
  if (l.kind == LabelKind::Spawn) next.locals[other] = to.child;
  if (plan_.scouting) return;
  rc11_.step(next, t, l, to, other, old);
  rc11_.forget(next, locals_, static_cast<std::uint32_t>(program_.threads.size()));
  if (options_.settle) monitor_.settle(next, locals_);
}

// --- what is told

std::vector<TraceStep> Search::trace_to(std::uint32_t id) const {
  const auto shards = static_cast<std::uint32_t>(shards_.size());
  std::vector<std::uint32_t> path;
  for (; id != StateSet::none; id = shards_[id % shards].parent(id / shards))
    path.push_back(id);
  std::reverse(path.begin(), path.end());
  std::vector<TraceStep> steps;
  std::vector<std::uint64_t> packed(codec_.words() + 1);
  State at = initial(), next;
  for (std::size_t k = 1; k < path.size(); ++k) {
    const StateSet& set = shards_[path[k] % shards];
    const std::uint32_t number = path[k] / shards;
    bool found = false;
    State reached;
    successors(at, next, nullptr, [&](std::uint32_t t, const Successor* to, std::uint32_t other) {
      if (found) return;
      codec_.pack(next, packed.data());
      found = options_.hash_compact ? hash(next, packed.data()) == set.hash(number)
                                    : std::memcmp(packed.data(), set.record(number), codec_.bytes()) == 0;
      if (!found) return;
      steps.push_back(describe(at, t, to, other));
      reached = next;
    });
    FP_REQUIRE(found, "a trace should be made of steps of the program");
    at = std::move(reached);
  }
  return steps;
}

} // namespace fencepost::states
