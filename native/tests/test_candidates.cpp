// Candidate executions of a frame: two writes and a read of one location, judged by sequential consistency.
#include "models/candidates.hpp"
#include "tests/check.hpp"
#include "tests/plans.hpp"

using namespace fencepost;
using namespace fencepost::tests;

namespace {

// Events 0: the initial write, 1: a write, 2: a read, and so many others that do nothing. po orders 1 and 2.
FrameShape frame_of(std::size_t events) {
  FrameShape shape;
  shape.events = events;
  shape.sets.resize(base_set::count);
  shape.relations.resize(base_relation::count);
  shape.relations[base_relation::po] = {{1, 2}};
  shape.locations = {{0, 1, 2}};
  return shape;
}

// The read from the initial write, and from the other one.
LocationPart both_ways() {
  LocationPart part;
  part.solutions = {{{{2, 0}}, {0, 1}}, {{{2, 1}}, {0, 1}}};
  return part;
}

} // namespace

TEST(a_frame_allows_what_its_model_allows) {
  const Plan plan = sequential_consistency();
  const LocationPart part = both_ways();
  for (const std::size_t events : {std::size_t{3}, std::size_t{100}, std::size_t{700}}) { // rows of every size
    const auto frame = make_frame(plan, frame_of(events));
    CHECK(frame != nullptr);
    const auto found = frame->judge({&part});
    CHECK_EQ(found.size(), 1u); // reading the initial value behind one's own write is forbidden
    CHECK_EQ(found.at(0).picked.at(0), 1u);
  }
}

TEST(a_location_without_a_solution_allows_nothing) {
  const Plan plan = sequential_consistency();
  const LocationPart none_at_all;
  CHECK(make_frame(plan, frame_of(3))->judge({&none_at_all}).empty());
}

TEST(a_frame_with_too_many_events_is_refused) {
  const Plan plan = sequential_consistency();
  CHECK(make_frame(plan, frame_of(most_candidate_events + 1)) == nullptr);
}

TEST(a_frame_refuses_what_is_not_of_it) {
  const Plan plan = sequential_consistency();
  const LocationPart part = both_ways();
  CHECK_THROWS(make_frame(plan, frame_of(3))->judge({&part, &part}), BrokenContract);
  FrameShape outside = frame_of(3);
  outside.relations[base_relation::po] = {{1, 3}};
  CHECK_THROWS(make_frame(plan, outside), BrokenContract);
}

TEST(a_flag_is_told_with_the_candidates_that_raise_it) {
  PlanWriter w;
  w.check(Plan::CheckKind::Empty, w.relation(base_relation::rf), true, true);
  const Plan plan = w.plan();
  const LocationPart part = both_ways();
  const auto found = make_frame(plan, frame_of(3))->judge({&part});
  CHECK_EQ(found.size(), 2u);
  CHECK_EQ(found.at(0).flags.size(), 1u);
  CHECK_EQ(found.at(0).flags.at(0).first, 0u);
  CHECK_EQ(found.at(0).flags.at(0).second, 2u);
  CHECK_EQ(found.at(1).flags.at(0).first, 1u);
}
