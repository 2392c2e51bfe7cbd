#include "bind/bind.hpp"
#include "bind/plans.hpp"
#include "explore/explorer.hpp"

#include <cstring>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace fencepost;

namespace {

std::vector<std::int64_t> to_words(const nb::bytes& bytes) {
  std::vector<std::int64_t> words(bytes.size() / sizeof(std::int64_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::int64_t));
  return words;
}

using Rows = PlanRows;

struct Exploration {
  Exploration(const Bytecode& program, const ExploreOptions& options) : explorer(program, options) {}
  Explorer explorer;
  std::atomic<bool> stop{false};
};

} // namespace

void bind_explore(nb::module_& m) {
  nb::enum_<Progress>(m, "Progress", "How a run ended: everything explored, a budget or stop, an error.")
      .value("DONE", Progress::Done)
      .value("PAUSED", Progress::Paused)
      .value("FULL", Progress::Full)
      .value("FAILED", Progress::Failed);
  nb::class_<Estimate>(m, "CoreEstimate", "How many executions there seem to be; the error is that of their sum.")
      .def_prop_ro("executions", &Estimate::executions)
      .def_prop_ro("blocked", &Estimate::blocked)
      .def_prop_ro("error", &Estimate::error)
      .def_prop_ro("probes", &Estimate::probes);
  nb::class_<ExploreOptions>(m, "ExploreOptions")
      .def(nb::init<>())
      .def_prop_rw(
          "model", [](const ExploreOptions& o) { return static_cast<int>(o.model); },
          [](ExploreOptions& o, int model) { o.model = static_cast<Model>(model); })
      .def_rw("keep_going", &ExploreOptions::keep_going)
      .def_rw("races", &ExploreOptions::races)
      .def_rw("leaks", &ExploreOptions::leaks)
      .def_rw("deadlocks", &ExploreOptions::deadlocks)
      .def_rw("check_duplicates", &ExploreOptions::check_duplicates)
      .def_rw("keep_executions", &ExploreOptions::keep_executions)
      .def_rw("keep_outcomes", &ExploreOptions::keep_outcomes)
      .def_rw("max_events", &ExploreOptions::max_events)
      .def_rw("success_dependencies", &ExploreOptions::success_dependencies)
      .def_rw("valid_commit_before", &ExploreOptions::valid_commit_before)
      .def_prop_rw(
          "commit_order", [](const ExploreOptions& o) { return static_cast<int>(o.commit_order); },
          [](ExploreOptions& o, int order) { o.commit_order = static_cast<CommitOrder>(order); })
      .def(
          "set_plan",
          [](ExploreOptions& o, const Rows& operations, std::int32_t registers, const Rows& checks) {
            o.plan = to_plan(operations, registers, checks);
          },
          nb::arg("operations"), nb::arg("registers"), nb::arg("checks"), "The model as a relation plan.")
      .def(
          "set_commit_before",
          [](ExploreOptions& o, const Rows& operations, std::int32_t registers, const Rows& checks) {
            o.commit_before = to_plan(operations, registers, checks);
          },
          nb::arg("operations"), nb::arg("registers"), nb::arg("checks"),
          "Explore by RSMC, with the relation of the plan's last check as commit-before.")
      .def_prop_rw(
          "max_steps", [](const ExploreOptions& o) { return o.machine.steps; },
          [](ExploreOptions& o, std::uint32_t steps) { o.machine.steps = steps; });
  nb::class_<Exploration>(m, "Exploration", "A stateless exploration: run it for a while, look at it, save it, go on.")
      .def(nb::init<const Bytecode&, const ExploreOptions&>(), nb::arg("program"), nb::arg("options"),
           nb::keep_alive<1, 2>())
      .def(
          "run",
          [](Exploration& x, double seconds, std::uint64_t executions, unsigned jobs) {
            Budget budget;
            budget.executions = executions;
            budget.stop = &x.stop;
            if (seconds >= 0)
              budget.deadline =
                  std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                         std::chrono::duration<double>(seconds));
            nb::gil_scoped_release release;
            return x.explorer.run(budget, jobs);
          },
          nb::arg("seconds"), nb::arg("executions"), nb::arg("jobs"))
      .def("stop", [](Exploration& x) { x.stop = true; })
      .def("allow", [](Exploration& x) { x.stop = false; })
      .def_prop_ro("visited", [](const Exploration& x) { return x.explorer.visited(); })
      .def(
          "probe",
          [](Exploration& x, std::uint64_t count) {
            Budget budget;
            budget.stop = &x.stop;
            nb::gil_scoped_release release;
            x.explorer.probe(count, budget);
          },
          nb::arg("count"), "Goes down the tree at random until that many ways were tried; see estimate.")
      .def_prop_ro("probing", [](const Exploration& x) { return x.explorer.probing(); })
      .def_prop_ro("estimate", [](const Exploration& x) { return x.explorer.estimate(); })
      .def_prop_ro(
          "ended", [](const Exploration& x) { return x.explorer.results().executions + x.explorer.results().blocked; },
          "Complete and blocked executions of the runs that have ended.")
      .def(
          "take_kept",
          [](Exploration& x) {
            std::vector<Execution> kept = std::move(x.explorer.results().kept);
            x.explorer.results().kept.clear();
            return kept;
          },
          "The executions kept since it was last asked; they are forgotten.")
      .def("results", [](const Exploration& x) { return x.explorer.results(); })
      .def("remaining",
           [](const Exploration& x) {
             std::vector<nb::bytes> out;
             for (const auto& piece : x.explorer.remaining())
               out.emplace_back(reinterpret_cast<const char*>(piece.data()), piece.size() * sizeof(std::int64_t));
             return out;
           })
      .def(
          "set_remaining",
          [](Exploration& x, const std::vector<nb::bytes>& pieces) {
            std::vector<std::vector<std::int64_t>> work;
            for (const auto& piece : pieces)
              work.push_back(to_words(piece));
            x.explorer.set_remaining(std::move(work));
          },
          nb::arg("pieces"));
}
