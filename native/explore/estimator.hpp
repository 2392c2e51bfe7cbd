// Estimates what is left of an exploration: rounds of samples with ever larger populations, until they agree or the
// time is up.
#pragma once

#include "explore/engine.hpp"
#include "explore/estimate.hpp"

#include <memory>
#include <vector>

namespace fencepost {

class Estimator {
public:
  // The pieces of work that are left, as saved explorations; an empty one is the whole exploration.
  Estimator(const Bytecode& program, const ExploreOptions& options,
            const std::vector<std::vector<std::int64_t>>& pieces, std::shared_ptr<ThreadNumbers> numbers);
  ~Estimator();

  // Within the budget. With `population`, one round with a population of that size instead of growing ones.
  Estimate run(const Budget& budget, std::size_t population = 0);

  // The graphs on the level that the latest sample came to: where no sample ends in time, it is all that is known.
  double reached() const { return sampling_.reached; }

  // Where what is left is too large to begin with, the estimate is of the whole exploration.
  bool whole() const { return whole_; }

private:
  struct Workshop;
  bool prepare(const Budget& budget);
  bool sample(Round& round, const Budget& budget);

  const Bytecode& program_;
  ExploreOptions options_;
  std::vector<std::vector<std::int64_t>> pieces_;
  std::shared_ptr<ThreadNumbers> numbers_;
  bool whole_ = false;
  Sampling sampling_;
  Width width_ = Width::One;
  std::unique_ptr<Workshop> workshop_; // what is made anew where rows are too narrow or too much is remembered
};

} // namespace fencepost
