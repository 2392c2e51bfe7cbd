// A search for a cycle in an order that is looked up event by event, backwards.
#pragma once

#include "graph/coherence.hpp"

#include <utility>
#include <vector>

namespace fencepost {

template <unsigned W> class CycleSearch {
public:
  using Set = Bits<W>;

  // Whether there is no cycle among `nodes` that some of `ends` are on or come after. before(e): what comes before an
  // event, which may hold others than nodes.
  template <class F> bool acyclic(Set nodes, const Set& ends, F&& before) {
    Set open;
    const auto enter = [&](unsigned e) {
      FP_ASSERT(nodes.test(e) && !open.test(e), "an event should be entered once");
      nodes.reset(e);
      open.set(e);
      stack_.emplace_back(e, before(static_cast<Id>(e)));
      return !stack_.back().second.meets(open);
    };
    stack_.clear();
    while (nodes.meets(ends)) {
      if (!enter((nodes & ends).first())) return false;
      while (!stack_.empty()) {
        Set& left = stack_.back().second;
        left &= nodes;
        const unsigned next = left.last();
        if (next == Set::capacity) {
          open.reset(stack_.back().first);
          stack_.pop_back();
        } else if (!enter(next)) {
          return false;
        }
      }
    }
    return true;
  }

private:
  std::vector<std::pair<unsigned, Set>> stack_;
};

} // namespace fencepost
