// What a model sees of each thread of a graph, slot by slot, and from where on that differs from the graph before: most
// of what is known about events hangs on those before them in their thread, and need not be found again.
#pragma once

#include "graph/coherence.hpp"
#include "vm/contract.hpp"

#include <algorithm>
#include <vector>

namespace fencepost {

// An event as it was seen.
struct Seen {
  Id event = none; // none: nothing that the model sees
  const LocalState* at = nullptr;
  Location location = no_location;
  Id pair = none;
  ActionKind kind = ActionKind::Fence;
  Mode mode = Mode::Na;
  bool failed_cas = false, touches = false;
  bool operator==(const Seen&) const = default;

  bool is_read() const { return event != none && kind == ActionKind::Read; }
  bool is_write() const { return event != none && kind == ActionKind::Write; }
  bool is_access() const { return is_read() || is_write(); }
  const Action& action() const { return at->action; }
};

// A thread by its slots. The first `same` of them are as they were.
struct Line {
  std::vector<Seen> slot;
  std::size_t same = 0;
};

// G: a CommitGraph or a SplitGraph.
template <class G> class Lines {
public:
  // Finds how much of each thread is as it was; false where all is. A thread that is gone has an empty line.
  bool compare(const G& g) {
    bool changed = lines_.size() != g.thread.size(); // threads without an event count, too
    if (lines_.size() < g.thread.size()) lines_.resize(g.thread.size());
    for (std::size_t t = 0; t < lines_.size(); ++t) {
      Line& line = lines_[t];
      const std::vector<Id>& slots = t < g.thread.size() ? g.thread[t].slot : nothing_;
      const std::size_t most = std::min(slots.size(), line.slot.size());
      line.same = 0;
      while (line.same < most && line.slot[line.same] == seen(g, slots[line.same]))
        ++line.same;
      changed |= line.same < line.slot.size() || line.same < slots.size();
    }
    return changed;
  }

  // Sees the rest. pre: `compare` was asked.
  void take(const G& g) {
    lines_.resize(g.thread.size());
    for (std::size_t t = 0; t < lines_.size(); ++t) {
      const std::vector<Id>& slots = g.thread[t].slot;
      lines_[t].slot.resize(slots.size());
      for (std::size_t k = lines_[t].same; k < slots.size(); ++k)
        lines_[t].slot[k] = seen(g, slots[k]);
    }
  }

  void forget() { lines_.clear(); }
  bool empty() const { return lines_.empty(); }
  std::size_t size() const { return lines_.size(); }
  const Line& operator[](std::size_t t) const {
    FP_ASSERT(t < lines_.size(), "the line of a thread should have been seen");
    return lines_[t];
  }
  auto begin() const { return lines_.begin(); }
  auto end() const { return lines_.end(); }

private:
  static Seen seen(const G& g, Id e) {
    if (e == none || g[e].hidden || g[e].stuck) return {};
    const auto& v = g[e];
    return {e, v.at, v.location, v.pair, v.kind, v.mode, v.failed_cas, touches(g, e)};
  }

  // Whether an event is known to access its location: a write may be there without a place in coherence.
  static bool touches(const G& g, Id e) {
    const Location l = g[e].location;
    if (l >= g.location.size()) return false;
    if constexpr (requires { g[e].commit; })
      if (g[e].is_write()) return true;
    return g.location[l].reads.test(g.bit(e)) || g.location[l].writes.test(g.bit(e));
  }

  std::vector<Line> lines_;
  inline static const std::vector<Id> nothing_;
};

} // namespace fencepost
