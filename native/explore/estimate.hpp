// How many executions there will be: what samples of the exploration tree say together, and how far to believe it. The
// samples come from a population (population.hpp). The rules and their measurements are in docs/how/estimates.md.
#pragma once

#include <cstdint>
#include <vector>

namespace fencepost {

// What one population says: unbiased estimates of the numbers of complete and of blocked executions and of the choices
// that the search will make on its way to them. Exact where the population never had to be thinned out.
struct Sample {
  double executions = 0, blocked = 0, choices = 0;
  bool exact = true;

  double leaves() const { return executions + blocked; }
};

// Of complete and blocked executions together: their number lies between `low` and `high` nine times in ten. Where the
// samples do not agree it is not `known`: then `low` is all that can be said, and `high` is infinite.
struct Estimate {
  bool any = false, known = false, exact = false;
  double executions = 0, blocked = 0, choices = 0;
  double low = 0, high = 0;
};

// The samples of one round, all taken with a population of one size.
struct Round {
  static constexpr std::size_t repeats = 8;
  std::vector<Sample> samples;

  // Mean and standard deviation of the logarithms of the samples that found something, and their number.
  struct Spread {
    double mean = 0, deviation = 0;
    std::size_t count = 0;
    double centre() const { return mean + deviation * deviation / 2; } // the logarithm of the mean, were it log-normal
  };
  Spread spread() const;
  bool exact() const;
};

// What a round says; `before` is the round with half the population, if there was one. It is trusted where the
// logarithms of the samples differ by no more than `widest` (standard deviation).
Estimate estimate_of(const Round& round, const Round* before, double widest = 1);

} // namespace fencepost
