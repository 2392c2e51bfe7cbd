// Judges that are faster than the plan of a model and say the same.
#pragma once

#include "models/armv8_judge.hpp"
#include "models/imm_judge.hpp"
#include "models/power_judge.hpp"
#include "models/riscv_judge.hpp"

namespace fencepost {

template <unsigned W> class TunedJudge {
public:
  // pre: `knows(order)`
  TunedJudge(CommitOrder order, const DependencyTable& dependencies)
      : order_(order), armv8_(dependencies), power_(order, dependencies), riscv_(dependencies), imm_(dependencies) {
    FP_REQUIRE(knows(order), "a tuned judge should be of a model that has one");
  }

  static bool knows(CommitOrder order) {
    return order == CommitOrder::Armv8 || order == CommitOrder::Power || order == CommitOrder::Armv7 ||
           order == CommitOrder::Riscv || order == CommitOrder::Imm;
  }

  bool consistent(const SplitGraph<W>& g) {
    switch (order_) {
    case CommitOrder::Armv8:
      return armv8_.consistent(g);
    case CommitOrder::Riscv:
      return riscv_.consistent(g);
    case CommitOrder::Imm:
      return imm_.consistent(g);
    default:
      return power_.consistent(g);
    }
  }

  // The same for a graph that was consistent without one event, `last`, which nothing follows in its thread. It may
  // look at less.
  bool still_consistent(const SplitGraph<W>& g, Id last) {
    if (order_ == CommitOrder::Armv8) return armv8_.still_consistent(g, last);
    return order_ == CommitOrder::Riscv ? riscv_.still_consistent(g, last) : consistent(g);
  }

  // Two accesses that race, where the model has races; else `none`. pre: the graph is consistent.
  std::pair<Id, Id> race(const SplitGraph<W>& g) {
    return order_ == CommitOrder::Imm ? imm_.race(g) : std::pair<Id, Id>{none, none};
  }

  // To be called when local states, which tell events apart, may have been freed.
  void forget() {
    armv8_.forget();
    power_.forget();
    riscv_.forget();
    imm_.forget();
  }

private:
  CommitOrder order_;
  Armv8Judge<W> armv8_;
  PowerJudge<W> power_;
  RiscvJudge<W> riscv_;
  ImmJudge<W> imm_;
};

} // namespace fencepost
