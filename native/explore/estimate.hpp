// How many executions there will be, from random ways down the exploration tree.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace fencepost {

using Random = std::mt19937_64;

// What one way down says: unbiased estimates of the numbers of complete and of blocked executions.
struct Probe {
  double executions = 0, blocked = 0;
};

// The mean of many.
class Estimate {
public:
  void add(const Probe& p) {
    ++probes_;
    executions_ += p.executions;
    blocked_ += p.blocked;
    squares_ += (p.executions + p.blocked) * (p.executions + p.blocked);
  }

  std::uint64_t probes() const { return probes_; }
  double executions() const { return probes_ ? executions_ / n() : 0; }
  double blocked() const { return probes_ ? blocked_ / n() : 0; }

  // The standard error of the sum of both; infinite before the second probe.
  double error() const {
    const double mean = executions() + blocked();
    return probes_ < 2 ? HUGE_VAL : std::sqrt(std::fmax(squares_ / n() - mean * mean, 0) / (n() - 1));
  }

private:
  double n() const { return static_cast<double>(probes_); }
  std::uint64_t probes_ = 0;
  double executions_ = 0, blocked_ = 0, squares_ = 0;
};

} // namespace fencepost
