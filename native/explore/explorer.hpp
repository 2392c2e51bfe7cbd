// An exploration as a value: run it for a while, look at the results, save it, go on; on any number of threads.
#pragma once

#include "explore/engine.hpp"
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

  // How many executions there seem to be in all. May be asked while it works; no probes where nothing is known yet.
  Estimate estimate() const;

  // What the latest probe stands for so far: all there is where executions are so large that none comes to its end.
  double probing() const { return probing_.load(std::memory_order_relaxed); }

  // Probes until there are so many in all, or it is stopped. pre: not running.
  void probe(std::uint64_t count, const Budget& budget);

  const Results& results() const { return results_; }
  Results& results() { return results_; }

  // What is left to do: one saved exploration per piece of work. Empty when done.
  const std::vector<std::vector<std::int64_t>>& remaining() const { return remaining_; }
  void set_remaining(std::vector<std::vector<std::int64_t>> work) { remaining_ = std::move(work); }

private:
  struct Shared;
  class Prober;
  void work(Shared& shared, bool estimates);
  Progress run_piece(Shared& shared, LocalStates& states, Results& results, const std::vector<std::int64_t>& piece,
                     Prober* prober);

  const Bytecode& program_;
  ExploreOptions options_;
  Results results_;
  std::atomic<std::uint64_t> visited_{0};
  mutable std::mutex estimating_; // guards estimate_
  Estimate estimate_;
  std::atomic<double> probing_{0};
  Random random_;                                    // of the one worker that probes
  std::vector<std::vector<std::int64_t>> remaining_; // an empty piece is the whole exploration
};

} // namespace fencepost
