#include "explore/estimate.hpp"

#include "vm/contract.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace fencepost {
namespace {

constexpr double most_growth = 1; // of the centre, from one round to the next
constexpr double slack = 1.5, margin = 0.3;

// The 97.5 % point of Student's distribution with so many degrees of freedom.
double student(std::size_t freedom) {
  constexpr std::array points{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365};
  return points[std::clamp<std::size_t>(freedom, 1, points.size()) - 1];
}

// Samples are positive and unbiased: that all n of them exceed the truth by a factor c has probability c^-n at most
// (Markov's inequality). With probability 0.9 the truth is no less than this.
double at_least(const std::vector<Sample>& samples) {
  if (samples.empty()) return 0;
  const auto least = std::min_element(samples.begin(), samples.end(),
                                      [](const Sample& a, const Sample& b) { return a.leaves() < b.leaves(); });
  return least->leaves() / std::pow(10, 1 / static_cast<double>(samples.size()));
}

void set_interval(Estimate& e, const Round::Spread& s) {
  FP_REQUIRE(s.count > 1, "an interval should rest on more than one sample");
  const auto n = static_cast<double>(s.count);
  const double variance = s.deviation * s.deviation;
  const double half =
      slack * student(s.count - 1) * std::sqrt(variance / n + variance * variance / (2 * (n - 1))) + margin;
  const double centre = s.centre() + std::log(n / Round::repeats), mean = std::log(e.executions + e.blocked);
  e.low = std::exp(std::min(centre, mean) - half);
  e.high = std::exp(std::max(centre, mean) + half);
}

} // namespace

Round::Spread Round::spread() const {
  Spread s;
  for (const Sample& sample : samples)
    if (sample.leaves() > 0) {
      s.mean += std::log(sample.leaves());
      ++s.count;
    }
  if (s.count == 0) return s;
  s.mean /= static_cast<double>(s.count);
  double squares = 0;
  for (const Sample& sample : samples)
    if (sample.leaves() > 0) squares += std::pow(std::log(sample.leaves()) - s.mean, 2);
  s.deviation = s.count < 2 ? 0 : std::sqrt(squares / static_cast<double>(s.count - 1));
  return s;
}

bool Round::exact() const {
  return !samples.empty() && std::all_of(samples.begin(), samples.end(), [](const Sample& s) { return s.exact; });
}

Estimate estimate_of(const Round& round, const Round* before, double widest) {
  Estimate e;
  if (round.samples.empty()) return e;
  e.any = true;
  const auto n = static_cast<double>(round.samples.size());
  for (const Sample& s : round.samples) {
    e.executions += s.executions / n;
    e.blocked += s.blocked / n;
    e.choices += s.choices / n;
  }
  if (round.exact()) {
    e.known = e.exact = true;
    e.low = e.high = e.executions + e.blocked;
    return e;
  }
  const Round::Spread s = round.spread();
  const bool settled = before && s.centre() - before->spread().centre() < most_growth;
  e.known = s.count == Round::repeats && s.deviation <= widest && settled;
  if (e.known) {
    set_interval(e, s);
  } else {
    e.low = at_least(round.samples);
    e.high = HUGE_VAL;
  }
  return e;
}

} // namespace fencepost
