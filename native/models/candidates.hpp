// Judges candidate executions: many graphs with the same events, which differ in reads-from and coherence only. What a
// location can look like is given once, as a part, and named by its number; a candidate picks one solution of a part
// for each location. The slow twin is Candidate.consistent in enumerate/candidates.py.
#pragma once

#include "models/plan_evaluator.hpp"

#include <memory>
#include <utility>

namespace fencepost {

// All ways of one location: reads with their writes, and the writes in coherence order, by their numbers in the
// location.
struct LocationPart {
  using Number = std::uint32_t;
  struct Solution {
    std::vector<std::pair<Number, Number>> sources; // read, write
    std::vector<Number> order;
  };
  std::vector<Solution> solutions;
};

struct Consistent {
  std::vector<std::uint32_t> picked; // the solution of each location
  struct Flag {
    std::int32_t check;
    unsigned first, second;
  };
  std::vector<Flag> flags;
};

// What all candidates of a frame share. sets and relations are indexed as in plan.hpp; relations hold pairs.
struct FrameShape {
  std::size_t events = 0;
  std::vector<std::vector<std::uint32_t>> sets;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> relations;
  std::vector<std::vector<std::uint32_t>> locations; // the event of each number in each location
};

class CandidateFrame {
public:
  virtual ~CandidateFrame() = default;
  // The candidates that the model allows. pre: one part for each location of the frame.
  virtual std::vector<Consistent> judge(const std::vector<const LocationPart*>& parts) = 0;
};

template <unsigned W> class WideCandidateFrame : public CandidateFrame {
public:
  WideCandidateFrame(const Plan& plan, FrameShape shape) : evaluator_(plan), locations_(std::move(shape.locations)) {
    FP_REQUIRE(shape.events <= Bits<W>::capacity, "the events of a frame should fit its rows");
    FP_REQUIRE(shape.sets.size() <= base_set::count, "a frame should have the sets that plans know");
    FP_REQUIRE(shape.relations.size() <= base_relation::count, "a frame should have the relations that plans know");
    s_.reset(shape.events);
    for (unsigned e = 0; e < shape.events; ++e)
      s_.events.set(e);
    for (std::size_t k = 0; k < shape.sets.size(); ++k)
      for (const std::uint32_t e : shape.sets[k]) {
        FP_REQUIRE(e < shape.events, "a set should hold events of the frame");
        s_.set[k].set(e);
      }
    for (std::size_t k = 0; k < shape.relations.size(); ++k)
      for (const auto& [a, b] : shape.relations[k]) {
        FP_REQUIRE(a < shape.events && b < shape.events, "a relation should hold events of the frame");
        s_.relation[k][b].set(a);
      }
  }

  std::vector<Consistent> judge(const std::vector<const LocationPart*>& parts) override {
    FP_REQUIRE(parts.size() == locations_.size(), "every location should have its part");
    std::vector<Consistent> found;
    for (const LocationPart* part : parts)
      if (part->solutions.empty()) return found;
    std::vector<std::uint32_t> picked(parts.size(), 0);
    do {
      relate(parts, picked);
      if (!evaluator_.consistent(s_)) continue;
      found.push_back({picked, {}});
      evaluator_.raised([&](std::int32_t check, unsigned first, unsigned second) {
        found.back().flags.push_back({check, first, second});
      });
    } while (next(parts, picked));
    return found;
  }

private:
  static bool next(const std::vector<const LocationPart*>& parts, std::vector<std::uint32_t>& picked) {
    for (std::size_t k = picked.size(); k-- > 0;) {
      if (++picked[k] < parts[k]->solutions.size()) return true;
      picked[k] = 0;
    }
    return false;
  }

  void relate(const std::vector<const LocationPart*>& parts, const std::vector<std::uint32_t>& picked) {
    auto& rf = s_.relation[base_relation::rf];
    auto& co = s_.relation[base_relation::co];
    rf.assign(s_.n, {});
    co.assign(s_.n, {});
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto& ids = locations_[k];
      FP_ASSERT(picked[k] < parts[k]->solutions.size(), "a candidate should pick a solution that there is");
      const LocationPart::Solution& chosen = parts[k]->solutions[picked[k]];
      for (const auto& [read, write] : chosen.sources) {
        FP_ASSERT(read < ids.size() && write < ids.size(), "a source should be of the location");
        rf[ids[read]].set(ids[write]);
      }
      Bits<W> earlier;
      for (const LocationPart::Number w : chosen.order) {
        FP_ASSERT(w < ids.size(), "coherence should be of the location");
        FP_ASSERT(!earlier.test(ids[w]), "coherence should have each write once");
        co[ids[w]] = earlier;
        earlier.set(ids[w]);
      }
    }
  }

  PlanEvaluator<W> evaluator_;
  Structure<W> s_;
  std::vector<std::vector<std::uint32_t>> locations_;
};

inline constexpr std::uint32_t most_candidate_events = 1U << 13; // relations are matrices of them

// Null where there are more events than that.
inline std::unique_ptr<CandidateFrame> make_frame(const Plan& plan, FrameShape shape) {
  if (shape.events <= 64) return std::make_unique<WideCandidateFrame<1>>(plan, std::move(shape));
  if (shape.events <= 128) return std::make_unique<WideCandidateFrame<2>>(plan, std::move(shape));
  if (shape.events <= most_candidate_events) return std::make_unique<WideCandidateFrame<many>>(plan, std::move(shape));
  return nullptr;
}

} // namespace fencepost
