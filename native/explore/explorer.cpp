#include "explore/explorer.hpp"

#include "vm/undone.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
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

// The first look at what is left comes after so long and takes so long at least; all take a fiftieth of the time.
constexpr std::chrono::steady_clock::duration first_look = std::chrono::seconds(5),
                                              least_look = std::chrono::milliseconds(100);

} // namespace

Explorer::Outlook Explorer::outlook() const {
  std::lock_guard lock(looking_);
  Outlook now = outlook_;
  now.age = std::chrono::duration<double>(Clock::now() - looked_).count();
  return now;
}

void Explorer::estimate(const Budget& budget, std::size_t population) {
  const auto began = Clock::now();
  Estimator estimator(program_, options_, remaining_, numbers_);
  const Estimate left = estimator.run(budget, population);
  std::lock_guard lock(looking_);
  looked_ = Clock::now();
  estimating_ += looked_ - began;
  outlook_.reached = estimator.reached();
  if (!left.any) return;
  outlook_.all = left;
  outlook_.found = static_cast<double>(results_.executions + results_.blocked);
  outlook_.done = static_cast<double>(results_.choices);
  outlook_.left = estimator.whole() ? std::max(left.choices - outlook_.done, 0.0) : left.choices;
  if (estimator.whole()) return;
  outlook_.all.executions += static_cast<double>(results_.executions);
  outlook_.all.blocked += static_cast<double>(results_.blocked);
  outlook_.all.low += outlook_.found;
  outlook_.all.high += outlook_.found;
}

Explorer::Explorer(const Bytecode& program, const ExploreOptions& options)
    : program_(program), options_(options), numbers_(std::make_shared<ThreadNumbers>(program.threads.size())),
      remaining_(1) {
  options_.machine.old_values = options.by_plan() || own_happens_before(options.model);
  options_.machine.ordered =
      own_happens_before(options.model) && !options.by_plan() && !options.by_rsmc() && !options.rcmc;
  options_.machine.races = options.races;
  options_.machine.keeps = !options.by_plan() && !without_coherence(options.model);
}

Explorer::~Explorer() = default;

// Pauses now and then for an estimate of what is left.
Progress Explorer::run(const Budget& budget, unsigned jobs) {
  visited_ = 0;
  for (;;) {
    const auto began = Clock::now();
    const auto wait = worked_ < first_look ? first_look - worked_ : worked_ / 2;
    const Progress end = run_until(budget, options_.is_one_piece() ? Clock::time_point::max() : began + wait, jobs);
    const auto now = Clock::now();
    worked_ += now - began;
    if (end != Progress::Paused || budget.stopped() || now >= budget.deadline || visited_ >= budget.executions)
      return end;
    Budget part;
    part.stop = budget.stop;
    part.deadline = std::min(budget.deadline, now + std::max<Clock::duration>(least_look, worked_ / 50 - estimating_));
    estimate(part);
  }
}

// Works until the budget is spent or it is time for a pause.
Progress Explorer::run_until(const Budget& asked, Clock::time_point pause, unsigned jobs) {
  FP_REQUIRE(jobs > 0, "somebody should do the work");
  Budget budget = asked;
  budget.deadline = std::min(budget.deadline, pause);
  Shared shared;
  shared.pieces = std::move(remaining_);
  remaining_.clear();
  shared.budget = &budget;
  std::vector<std::thread> workers;
  try {
    for (unsigned j = 1; j < jobs; ++j)
      workers.emplace_back([&] { work(shared); });
  } catch (const std::system_error&) { // the system gives no more: those that there are do the work
  }
  work(shared);
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

void Explorer::work(Shared& shared) {
  LocalStates states(program_, options_.by_plan(), options_.machine, numbers_);
  Results results;
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
      end = run_piece(shared, states, results, piece);
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
  if (const UndoneRounds* undone = states.undone()) {
    results.between.insert(undone->between.begin(), undone->between.end());
    results.looks = undone->looks();
  }
  shared.results.merge(std::move(results));
  shared.changed.notify_all();
}

// Runs one piece to its end, widening it when a graph outgrows its rows and sharing it when others are idle.
Progress Explorer::run_piece(Shared& shared, LocalStates& states, Results& results,
                             const std::vector<std::int64_t>& piece) {
  Width width = Width::One;
  auto engine = piece.empty() ? make_engine(width, states, options_, results)
                              : load_engine(width, piece, states, options_, results);
  if (piece.empty()) engine->begin();
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
      FP_REQUIRE(width != Width::Many, "an execution should not outgrow rows that grow");
      engine = load_engine(width = wider(width), saved, states, options_, results);
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
