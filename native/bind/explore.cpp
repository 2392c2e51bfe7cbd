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

// So many seconds; without end where they are negative.
Budget within(const Exploration& x, double seconds) {
  Budget budget;
  budget.stop = &x.stop;
  using Clock = std::chrono::steady_clock;
  if (seconds >= 0)
    budget.deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  return budget;
}

} // namespace

void bind_explore(nb::module_& m) {
  nb::enum_<Progress>(m, "Progress", "How a run ended: everything explored, a budget or stop, an error.")
      .value("DONE", Progress::Done)
      .value("PAUSED", Progress::Paused)
      .value("FULL", Progress::Full)
      .value("FAILED", Progress::Failed);
  nb::class_<Explorer::Outlook>(m, "CoreOutlook", "What is known of all executions, complete and blocked.")
      .def_prop_ro("any", [](const Explorer::Outlook& o) { return o.all.any; })
      .def_prop_ro("known", [](const Explorer::Outlook& o) { return o.all.known; })
      .def_prop_ro("exact", [](const Explorer::Outlook& o) { return o.all.exact; })
      .def_prop_ro("executions", [](const Explorer::Outlook& o) { return o.all.executions; })
      .def_prop_ro("blocked", [](const Explorer::Outlook& o) { return o.all.blocked; })
      .def_prop_ro("low", [](const Explorer::Outlook& o) { return o.all.low; })
      .def_prop_ro("high", [](const Explorer::Outlook& o) { return o.all.high; })
      .def_ro("done", &Explorer::Outlook::done)
      .def_ro("left", &Explorer::Outlook::left)
      .def_ro("age", &Explorer::Outlook::age)
      .def_ro("reached", &Explorer::Outlook::reached);
  nb::class_<ExploreOptions>(m, "ExploreOptions")
      .def(nb::init<>())
      .def_prop_rw(
          "model", [](const ExploreOptions& o) { return static_cast<int>(o.model); },
          [](ExploreOptions& o, int model) { o.model = static_cast<Model>(model); })
      .def_rw("keep_going", &ExploreOptions::keep_going)
      .def_rw("races", &ExploreOptions::races)
      .def_rw("anonymous", &ExploreOptions::anonymous)
      .def_rw("sections", &ExploreOptions::sections)
      .def_rw("leaks", &ExploreOptions::leaks)
      .def_rw("deadlocks", &ExploreOptions::deadlocks)
      .def_rw("check_duplicates", &ExploreOptions::check_duplicates)
      .def_rw("digest", &ExploreOptions::digest)
      .def_rw("keep_executions", &ExploreOptions::keep_executions)
      .def_rw("keep_errors", &ExploreOptions::keep_errors)
      .def_rw("keep_outcomes", &ExploreOptions::keep_outcomes)
      .def_rw("max_events", &ExploreOptions::max_events)
      .def_rw("success_dependencies", &ExploreOptions::success_dependencies)
      .def_rw("valid_commit_before", &ExploreOptions::valid_commit_before)
      .def_rw("foreseen", &ExploreOptions::foreseen)
      .def_rw("rcmc", &ExploreOptions::rcmc)
      .def_rw("tuned", &ExploreOptions::tuned)
      .def_rw("pieces", &ExploreOptions::pieces)
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
          "set_at_end",
          [](ExploreOptions& o, const Rows& operations, std::int32_t registers, const Rows& checks) {
            o.at_end = to_plan(operations, registers, checks);
          },
          nb::arg("operations"), nb::arg("registers"), nb::arg("checks"), "What the model says of whole executions.")
      .def(
          "set_commit_before",
          [](ExploreOptions& o, const Rows& operations, std::int32_t registers, const Rows& checks) {
            o.commit_before = to_plan(operations, registers, checks);
          },
          nb::arg("operations"), nb::arg("registers"), nb::arg("checks"),
          "Explore by RSMC, with the relation of the plan's last check as commit-before.")
      .def_prop_rw(
          "shortcuts", [](const ExploreOptions& o) { return o.machine.shortcuts; },
          [](ExploreOptions& o, bool on) { o.machine.shortcuts = on; })
      .def_prop_rw(
          "prologue", [](const ExploreOptions& o) { return o.machine.prologue; },
          [](ExploreOptions& o, std::uint32_t least) { o.machine.prologue = least; })
      .def_prop_rw(
          "max_steps", [](const ExploreOptions& o) { return o.machine.steps; },
          [](ExploreOptions& o, std::uint32_t steps) { o.machine.steps = steps; });
  nb::class_<Exploration>(m, "Exploration", "A stateless exploration: run it for a while, look at it, save it, go on.")
      .def(nb::init<const Bytecode&, const ExploreOptions&>(), nb::arg("program"), nb::arg("options"),
           nb::keep_alive<1, 2>())
      .def(
          "run",
          [](Exploration& x, double seconds, std::uint64_t executions, unsigned jobs) {
            Budget budget = within(x, seconds);
            budget.executions = executions;
            nb::gil_scoped_release release;
            return x.explorer.run(budget, jobs);
          },
          nb::arg("seconds"), nb::arg("executions"), nb::arg("jobs"))
      .def("stop", [](Exploration& x) { x.stop = true; })
      .def("allow", [](Exploration& x) { x.stop = false; })
      .def_prop_ro("visited", [](const Exploration& x) { return x.explorer.visited(); })
      .def(
          "estimate",
          [](Exploration& x, double seconds, std::uint64_t population) {
            const Budget budget = within(x, seconds);
            nb::gil_scoped_release release;
            x.explorer.estimate(budget, static_cast<std::size_t>(population));
          },
          nb::arg("seconds"), nb::arg("population") = 0, "Estimates what is left; see outlook.")
      .def_prop_ro("outlook", [](const Exploration& x) { return x.explorer.outlook(); })
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
          nb::arg("pieces"))
      .def(
          "split", [](Exploration& x, std::size_t count) { x.explorer.split(count); }, nb::arg("count"),
          nb::call_guard<nb::gil_scoped_release>(),
          "Cuts what is left into so many pieces, at the oldest choices; fewer where there are no more.");
}
