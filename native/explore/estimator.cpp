#include "explore/estimator.hpp"

#include <chrono>

namespace fencepost {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t first_population = 16;
constexpr double close_enough = 0.15; // standard deviation of the logarithms of the samples

ExploreOptions only_counting(ExploreOptions options) {
  options.keep_going = true;
  options.deadlocks = options.races = options.leaks = options.check_duplicates = options.digest = false;
  options.keep_executions = 0;
  options.keep_errors = 0;
  options.keep_outcomes = false;
  return options;
}

} // namespace

struct Estimator::Workshop {
  Workshop(const Bytecode& program, const ExploreOptions& options, const std::shared_ptr<ThreadNumbers>& numbers)
      : states(program, options.by_plan(), options.machine, numbers) {}
  LocalStates states;
  Results results;
  std::unique_ptr<AnyEngine> engine;
};

Estimator::Estimator(const Bytecode& program, const ExploreOptions& options,
                     const std::vector<std::vector<std::int64_t>>& pieces, std::shared_ptr<ThreadNumbers> numbers)
    : program_(program), options_(only_counting(options)), pieces_(pieces), numbers_(std::move(numbers)) {}

Estimator::~Estimator() = default;

// An engine whose frontier is all that is left; false where there is none that can do it within the budget.
bool Estimator::prepare(const Budget& budget) {
  if (options_.by_rsmc()) return false;
  for (;;) {
    workshop_ = std::make_unique<Workshop>(program_, options_, numbers_);
    auto& engine = workshop_->engine;
    engine = make_engine(width_, workshop_->states, options_, workshop_->results);
    bool fits = true;
    for (auto piece = pieces_.begin(); piece != pieces_.end() && fits; ++piece) {
      if (piece->empty())
        engine->begin();
      else
        fits = engine->load(*piece, budget);
      if (fits && !engine->add_frontier(budget)) {
        if (whole_ || budget.spent()) return false;
        whole_ = true;
        pieces_.assign(1, {});
        return prepare(budget);
      }
    }
    if (fits || width_ == Width::Many || budget.spent()) return fits;
    width_ = wider(width_);
  }
}

// One more sample; false where the budget is spent.
bool Estimator::sample(Round& round, const Budget& budget) {
  for (;;) {
    if (!workshop_ && !prepare(budget)) return false;
    if (const auto found = workshop_->engine->sample(sampling_, budget)) {
      round.samples.push_back(*found);
      if (workshop_->states.bytes() > options_.cache_bytes) workshop_.reset();
      return true;
    }
    if (!workshop_->engine->full() || width_ == Width::Many) return false;
    width_ = wider(width_);
    workshop_.reset();
  }
}

Estimate Estimator::run(const Budget& budget, std::size_t population) {
  Round before, last;
  const double spread = options_.by_plan() ? 0.5 : 1; // measured on fewer programs where events commit out of order
  const auto told = [&] { return estimate_of(last, before.samples.empty() ? nullptr : &before, spread); };
  for (sampling_.size = population ? population : first_population;; sampling_.size *= 2) {
    const auto began = Clock::now();
    Round round;
    while (round.samples.size() < Round::repeats && !round.exact() && sample(round, budget)) {
    }
    if (round.exact()) return estimate_of(round, nullptr); // another sample would say the same
    const bool whole = round.samples.size() == Round::repeats;
    if (!whole && !last.samples.empty()) return told();
    before = std::move(last);
    last = std::move(round);
    const auto now = Clock::now();
    const bool agree = !before.samples.empty() && last.spread().deviation < close_enough;
    if (!whole || population || agree || now + 2 * (now - began) >= budget.deadline) return told();
  }
}

} // namespace fencepost
