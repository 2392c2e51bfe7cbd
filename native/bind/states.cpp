#include "bind/bind.hpp"
#include "states/search.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace fencepost;
using namespace fencepost::states;

void bind_states(nb::module_& m) {
  nb::enum_<Against>(m, "Against")
      .value("RA", Against::Ra)
      .value("SRA", Against::Sra)
      .value("TSO", Against::Tso)
      .value("SC", Against::Sc)
      .value("RC11", Against::Rc11)
      .value("RC11_CPP20", Against::Rc11Cpp20);
  nb::enum_<SearchStatus>(m, "SearchStatus")
      .value("RUNNING", SearchStatus::Running)
      .value("ROBUST", SearchStatus::Robust)
      .value("DIVERGES", SearchStatus::Diverges)
      .value("RACE", SearchStatus::Race)
      .value("STATE_LIMIT", SearchStatus::StateLimit)
      .value("MEMORY_LIMIT", SearchStatus::MemoryLimit)
      .value("UNSUPPORTED", SearchStatus::Unsupported);
  nb::enum_<LabelKind>(m, "LabelKind")
      .value("READ", LabelKind::Read)
      .value("WRITE", LabelKind::Write)
      .value("UPDATE", LabelKind::Update)
      .value("CAS", LabelKind::Cas)
      .value("AWAIT", LabelKind::Await)
      .value("BLOCKING_CAS", LabelKind::BlockingCas)
      .value("FENCE", LabelKind::Fence)
      .value("SILENT", LabelKind::Silent)
      .value("CHOOSE", LabelKind::Choose)
      .value("SPAWN", LabelKind::Spawn)
      .value("JOIN", LabelKind::Join)
      .value("END", LabelKind::End)
      .value("BLOCKED", LabelKind::Blocked)
      .value("ERROR", LabelKind::Error);
  nb::class_<TraceStep>(m, "TraceStep", "One step of a sequentially consistent run.")
      .def_ro("thread", &TraceStep::thread)
      .def_ro("kind", &TraceStep::kind)
      .def_prop_ro("action", [](const TraceStep& s) { return static_cast<int>(s.action); })
      .def_prop_ro("fence", [](const TraceStep& s) { return static_cast<int>(s.fence); })
      .def_prop_ro("mode", [](const TraceStep& s) { return static_cast<int>(s.mode); })
      .def_prop_ro("failure", [](const TraceStep& s) { return static_cast<int>(s.failure); })
      .def_ro("reads", &TraceStep::reads)
      .def_ro("writes", &TraceStep::writes)
      .def_ro("size", &TraceStep::size)
      .def_ro("position", &TraceStep::position)
      .def_ro("other", &TraceStep::other)
      .def_ro("address", &TraceStep::address)
      .def_ro("value_read", &TraceStep::value_read)
      .def_ro("value_written", &TraceStep::value_written);
  nb::class_<ErrorFound>(m, "ErrorFound", "An error of the program, met along the way.")
      .def_ro("state", &ErrorFound::state)
      .def_ro("thread", &ErrorFound::thread)
      .def_ro("position", &ErrorFound::position)
      .def_ro("string", &ErrorFound::string)
      .def_prop_ro("kind", [](const ErrorFound& e) { return static_cast<int>(e.kind); })
      .def_prop_ro("message", [](const ErrorFound& e) { return std::string(e.message); });
  nb::class_<SearchStatistics>(m, "SearchStatistics")
      .def_ro("states", &SearchStatistics::states)
      .def_ro("transitions", &SearchStatistics::transitions)
      .def_ro("bytes", &SearchStatistics::bytes)
      .def_ro("bits_per_state", &SearchStatistics::bits_per_state)
      .def_ro("locations", &SearchStatistics::locations)
      .def_ro("monitored", &SearchStatistics::monitored)
      .def_ro("local_states", &SearchStatistics::local_states)
      .def_ro("depth", &SearchStatistics::depth)
      .def_ro("restarts", &SearchStatistics::restarts);
  nb::class_<Emptiness>(m, "Emptiness", "Why a search that found nothing shows less than it seems to.")
      .def_ro("assumption", &Emptiness::assumption)
      .def_ro("waits_alone", &Emptiness::waits_alone);
  nb::class_<Search::Effect>(m, "LabelEffect")
      .def_ro("allowed", &Search::Effect::allowed)
      .def_ro("writes", &Search::Effect::writes)
      .def_ro("written", &Search::Effect::written);
  nb::class_<Search>(m, "RobustnessSearch", "An explicit-state search under SC with monitors; see states/search.hpp.")
      .def(
          "__init__",
          [](Search* self, const Bytecode& program, Against against, bool depth_first, bool hash_compact,
             std::uint64_t memory, std::uint64_t states, unsigned jobs, bool settle, bool critical_values) {
            new (self) Search(program, SearchOptions{against, depth_first, hash_compact, memory, states, jobs,
                                                     critical_values, settle});
          },
          nb::keep_alive<1, 2>(), nb::arg("program"), nb::arg("against"), nb::arg("depth_first") = false,
          nb::arg("hash_compact") = false, nb::kw_only(), nb::arg("memory"), nb::arg("states"), nb::arg("jobs") = 1,
          nb::arg("settle") = true, nb::arg("critical_values") = true)
      .def("advance", &Search::advance, nb::arg("seconds"), nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("status", &Search::status)
      .def_prop_ro("statistics", &Search::statistics)
      .def_prop_ro("emptiness", &Search::emptiness)
      .def_prop_ro("errors", &Search::errors)
      .def_prop_ro("unsupported", &Search::unsupported)
      .def_prop_ro("unsupported_position", &Search::unsupported_position)
      .def("trace", &Search::trace)
      .def("trace_to", &Search::trace_to, nb::arg("state"))
      .def("offending", &Search::offending)
      .def("racing", &Search::racing)
      .def("effect", &Search::effect, nb::arg("value"));
}
