#include "explore/explorer.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace fencepost {

// The pieces that wait for a worker. A worker that finds none says so in `hungry`, and a busy one splits its work.
struct Explorer::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::vector<std::int64_t>> pieces, left;
  unsigned busy = 0;
  std::atomic<unsigned> hungry{0};
  std::atomic<bool> stop{false};
  Progress end = Progress::Done;
  const Budget* budget = nullptr;
  Results results;
  std::exception_ptr wrong;
};

namespace {

constexpr std::uint64_t slice = 512; // executions between two looks at the others

} // namespace

// Goes down the tree at random, beside the exploration and on its thread states.
class Explorer::Prober {
public:
  Prober(Explorer& explorer, LocalStates& states, const Budget& budget)
      : explorer_(explorer), states_(states), budget_(budget), options_(explorer.options_), began_(Clock::now()) {
    budget_.weight = &explorer.probing_;
    options_.keep_going = true;
    options_.deadlocks = options_.races = options_.leaks = options_.check_duplicates = false;
    options_.keep_executions = 0;
    options_.keep_outcomes = false;
  }

  // Once more, where probing took less than a hundredth of the time so far.
  void take_turn() {
    const auto now = Clock::now();
    if (spent_ * 100 > now - began_) return;
    once();
    spent_ += Clock::now() - now;
  }

  // False where it was stopped or cannot be done.
  bool once() {
    while (!budget_.stopped() && (engine_ || widen())) {
      if (const auto found = engine_->probe(explorer_.random_, budget_)) {
        std::lock_guard lock(explorer_.estimating_);
        return explorer_.estimate_.add(*found), true;
      }
      engine_.reset();
    }
    return false;
  }

private:
  using Clock = std::chrono::steady_clock;

  bool widen() {
    if (options_.by_plan()) return false;
    words_ = std::max(2 * words_, 1U);
    engine_ = make_engine(words_, states_, options_, scratch_);
    if (engine_) engine_->begin();
    return engine_ != nullptr;
  }

  Explorer& explorer_;
  LocalStates& states_;
  Budget budget_;
  ExploreOptions options_;
  Results scratch_;
  unsigned words_ = 0;
  std::unique_ptr<AnyEngine> engine_;
  Clock::time_point began_;
  Clock::duration spent_{};
};

Estimate Explorer::estimate() const {
  std::lock_guard lock(estimating_);
  return estimate_;
}

void Explorer::probe(std::uint64_t count, const Budget& budget) {
  for (bool going = true; going && estimate().probes() < count;) {
    LocalStates states(program_, options_.by_plan(), options_.machine);
    Prober prober(*this, states, budget);
    while (going && estimate().probes() < count && states.bytes() < options_.cache_bytes)
      going = prober.once();
  }
}

Explorer::Explorer(const Bytecode& program, const ExploreOptions& options)
    : program_(program), options_(options), remaining_(1) {}

Explorer::~Explorer() = default;

Progress Explorer::run(const Budget& budget, unsigned jobs) {
  Shared shared;
  visited_ = 0;
  shared.pieces = std::move(remaining_);
  remaining_.clear();
  shared.budget = &budget;
  std::vector<std::thread> workers;
  try {
    for (unsigned j = 1; j < jobs; ++j)
      workers.emplace_back([&] { work(shared, false); });
  } catch (const std::system_error&) { // the system gives no more: those that there are do the work
  }
  work(shared, true);
  for (std::thread& w : workers)
    w.join();
  if (shared.wrong) std::rethrow_exception(shared.wrong);
  results_.merge(std::move(shared.results));
  remaining_ = std::move(shared.left);
  for (auto& piece : shared.pieces)
    remaining_.push_back(std::move(piece));
  if (shared.end == Progress::Done && !remaining_.empty()) shared.end = Progress::Paused;
  return shared.end;
}

void Explorer::work(Shared& shared, bool estimates) {
  LocalStates states(program_, options_.by_plan(), options_.machine);
  Results results;
  Budget budget = *shared.budget;
  budget.also_stop = &shared.stop;
  std::optional<Prober> prober;
  if (estimates) prober.emplace(*this, states, budget);
  std::unique_lock lock(shared.mutex);
  for (;;) {
    if (shared.pieces.empty()) {
      if (shared.busy == 0 || shared.stop) break;
      ++shared.hungry;
      shared.changed.wait(lock, [&] { return !shared.pieces.empty() || shared.busy == 0 || shared.stop; });
      --shared.hungry;
      continue;
    }
    if (shared.stop) break;
    const auto piece = std::move(shared.pieces.back());
    shared.pieces.pop_back();
    ++shared.busy;
    lock.unlock();
    Progress end = Progress::Failed;
    std::exception_ptr wrong;
    try {
      end = run_piece(shared, states, results, piece, prober ? &*prober : nullptr);
    } catch (...) {
      wrong = std::current_exception();
    }
    lock.lock();
    --shared.busy;
    if (wrong) shared.wrong = wrong;
    if (end != Progress::Done) {
      shared.stop = true;
      shared.end = shared.end == Progress::Failed ? shared.end : end;
    }
    shared.changed.notify_all();
  }
  shared.results.merge(std::move(results));
  shared.changed.notify_all();
}

// Runs one piece to its end, widening it when a graph outgrows its rows and sharing it when others are idle.
Progress Explorer::run_piece(Shared& shared, LocalStates& states, Results& results,
                             const std::vector<std::int64_t>& piece, Prober* prober) {
  unsigned words = 1;
  auto engine = make_engine(words, states, options_, results);
  if (piece.empty())
    engine->begin();
  else
    while (!engine->load(piece))
      engine = make_engine(words *= 2, states, options_, results);
  for (;;) {
    Budget part = *shared.budget;
    part.also_stop = &shared.stop;
    const std::uint64_t before = results.executions + results.blocked;
    const std::uint64_t visited = visited_;
    part.executions = std::min(slice, part.executions > visited ? part.executions - visited : 1);
    const Progress end = engine->run(part);
    visited_ += results.executions + results.blocked - before;
    if (end == Progress::Full) {
      const auto saved = engine->save();
      engine = make_engine(words *= 2, states, options_, results);
      if (!engine) throw DecodeError("an execution should not outgrow the widest rows");
      engine->load(saved);
      continue;
    }
    if (end != Progress::Paused) return end;
    const bool stop = part.stopped() || visited_ >= shared.budget->executions ||
                      std::chrono::steady_clock::now() >= shared.budget->deadline;
    if (stop) {
      std::lock_guard lock(shared.mutex);
      shared.left.push_back(engine->save());
      return Progress::Paused;
    }
    if (prober) prober->take_turn();
    if (shared.hungry.load(std::memory_order_relaxed) > 0) {
      auto given = engine->split();
      if (!given.empty()) {
        std::lock_guard lock(shared.mutex);
        shared.pieces.push_back(std::move(given));
        shared.changed.notify_one();
      }
    }
  }
}

} // namespace fencepost
