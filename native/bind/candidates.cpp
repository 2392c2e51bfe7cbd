#include "models/candidates.hpp"

#include "bind/bind.hpp"
#include "bind/plans.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace fencepost;

namespace {

using Numbers = std::vector<std::uint32_t>;
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

LocationPart to_part(const std::vector<std::pair<Pairs, Numbers>>& solutions) {
  LocationPart part;
  for (const auto& [sources, order] : solutions)
    part.solutions.push_back({sources, order});
  return part;
}

using Raised = std::tuple<std::int32_t, unsigned, unsigned>;
using Allowed = std::pair<Numbers, std::vector<Raised>>;

std::vector<Allowed> judge(CandidateFrame& frame, const std::vector<const LocationPart*>& parts) {
  std::vector<Allowed> out;
  for (const Consistent& c : frame.judge(parts)) {
    std::vector<Raised> flags;
    for (const auto& f : c.flags)
      flags.emplace_back(f.check, f.first, f.second);
    out.emplace_back(c.picked, std::move(flags));
  }
  return out;
}

} // namespace

void bind_candidates(nb::module_& m) {
  nb::class_<Plan>(m, "ModelPlan", "A memory model as a relation plan.")
      .def(nb::new_(&to_plan), nb::arg("operations"), nb::arg("registers"), nb::arg("checks"));
  nb::class_<LocationPart>(m, "LocationPart", "All ways to order the writes of one location and to let its reads read.")
      .def(nb::new_(&to_part), nb::arg("solutions"));
  nb::class_<CandidateFrame>(m, "CandidateFrame", "The events that many candidate executions share.")
      .def("judge", &judge, nb::arg("parts"),
           "What the model allows: the solutions picked, one per location, and the flags with a pair of events.");
  m.def(
      "candidate_frame",
      [](const Plan& plan, std::size_t events, std::vector<Numbers> sets, std::vector<Pairs> relations,
         std::vector<Numbers> locations) {
        return make_frame(plan, {events, std::move(sets), std::move(relations), std::move(locations)});
      },
      nb::arg("plan"), nb::arg("events"), nb::arg("sets"), nb::arg("relations"), nb::arg("locations"),
      nb::sig("def candidate_frame(plan: ModelPlan, events: int, sets: Sequence[Sequence[int]], "
              "relations: Sequence[Sequence[tuple[int, int]]], locations: Sequence[Sequence[int]]) "
              "-> CandidateFrame | None"),
      nb::keep_alive<0, 1>(), "None where there are too many events.");
}
