// An exploration as a value: run it for a while, look at the results, save it, go on; on any number of threads.
#pragma once

#include "explore/engine.hpp"
#include "explore/estimator.hpp"
#include "explore/options.hpp"
#include "explore/results.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace fencepost {

class Explorer {
public:
  Explorer(const Bytecode& program, const ExploreOptions& options);
  ~Explorer();

  // Works until everything is explored, an error ends it, or the budget is spent. Each job is a thread of its own.
  Progress run(const Budget& budget, unsigned jobs);

  // Executions visited by the current or last run: may be read while it works.
  std::uint64_t visited() const { return visited_.load(std::memory_order_relaxed); }

  // What is known of all there is. Made now and then while it works, and on request. May be asked at any time.
  struct Outlook {
    Estimate all;              // what was found until then, and what was left
    double found = 0;          // executions of this explorer until then
    double done = 0, left = 0; // choices made until then, and those that are left
    double age = 0;            // seconds since it was made
    double reached = 0;        // where no sample has ended: the graphs on the level that one has come to
  };
  Outlook outlook() const;

  // Estimates what is left. With `population`, with one round of that size. pre: not running.
  void estimate(const Budget& budget, std::size_t population = 0);

  const Results& results() const { return results_; }
  Results& results() { return results_; }

  // What is left to do: one saved exploration per piece of work. Empty when done.
  const std::vector<std::vector<std::int64_t>>& remaining() const { return remaining_; }
  void set_remaining(std::vector<std::vector<std::int64_t>> work) { remaining_ = std::move(work); }

  // Cuts what is left into so many pieces, at the oldest choices; fewer where there are no more choices. pre: not
  // running.
  void split(std::size_t count);

private:
  struct Shared;
  using Clock = std::chrono::steady_clock;
  Progress run_until(const Budget& budget, Clock::time_point pause, unsigned jobs);
  void work(Shared& shared);
  Progress run_piece(Shared& shared, LocalStates& states, Results& results, const std::vector<std::int64_t>& piece);

  const Bytecode& program_;
  ExploreOptions options_;
  Results results_;
  std::atomic<std::uint64_t> visited_{0};
  mutable std::mutex looking_; // guards outlook_ and looked_
  Outlook outlook_;
  Clock::time_point looked_{};
  Clock::duration worked_{}, estimating_{}; // so far, in all runs
  std::shared_ptr<ThreadNumbers> numbers_;
  std::vector<std::vector<std::int64_t>> remaining_; // an empty piece is the whole exploration
};

} // namespace fencepost
