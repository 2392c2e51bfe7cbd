#include "bind/bind.hpp"
#include "explore/explorer.hpp"

#include <cstring>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace fencepost;

namespace {

template <class T> nb::list to_list(const std::vector<T>& values) {
  nb::list out;
  for (const auto& v : values)
    out.append(v);
  return out;
}

// (thread, index, kind, mode, fence, rmw, exclusive, size, address, value, position, reads_from, joined, deps...)
nb::tuple to_tuple(const Execution::Event& e) {
  return nb::make_tuple(e.thread, e.index, static_cast<int>(e.kind), static_cast<int>(e.mode),
                        static_cast<int>(e.fence), e.rmw, e.exclusive, static_cast<int>(e.size), e.address, e.value,
                        e.position, e.reads_from, e.joined, to_list(e.address_deps), to_list(e.data_deps),
                        to_list(e.control_deps));
}

nb::dict to_dict(const Execution& x) {
  nb::dict out;
  nb::list events, coherence, stuck;
  for (const auto& e : x.events)
    events.append(to_tuple(e));
  for (const auto& [address, writes] : x.coherence)
    coherence.append(nb::make_tuple(address, to_list(writes)));
  for (const auto& s : x.stuck)
    stuck.append(nb::make_tuple(s.thread, s.position, static_cast<int>(s.kind)));
  out["events"] = events;
  out["coherence"] = coherence;
  out["outcome"] = to_list(x.outcome);
  out["stuck"] = stuck;
  out["spawned_by"] = to_list(x.spawned_by);
  return out;
}

nb::dict to_dict(const Finding& f) {
  nb::dict out;
  out["kind"] = static_cast<int>(f.kind);
  out["message"] = f.message;
  out["position"] = f.position;
  out["thread"] = f.thread;
  out["events"] = to_list(f.events);
  out["count"] = f.count;
  out["execution"] = to_dict(f.execution);
  return out;
}

nb::dict to_dict(const Results& r) {
  nb::dict out;
  out["executions"] = r.executions;
  out["blocked"] = r.blocked;
  out["erroneous"] = r.erroneous;
  out["duplicates"] = r.duplicates;
  out["dead_ends"] = r.dead_ends;
  out["may_miss"] = r.may_miss;
  out["cuts"] = to_list(r.cuts);
  nb::list outcomes, findings, kept, flags;
  for (const std::int32_t flag : r.flags)
    flags.append(flag);
  out["flags"] = flags;
  for (const auto& [values, count] : r.outcomes)
    outcomes.append(nb::make_tuple(to_list(values), count));
  for (const auto& f : r.findings)
    findings.append(to_dict(f));
  for (const auto& x : r.kept)
    kept.append(to_dict(x));
  out["outcomes"] = outcomes;
  out["findings"] = findings;
  out["kept"] = kept;
  return out;
}

std::vector<std::int64_t> to_words(const nb::bytes& bytes) {
  std::vector<std::int64_t> words(bytes.size() / sizeof(std::int64_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::int64_t));
  return words;
}

using Rows = std::vector<std::vector<std::int32_t>>;

Plan to_plan(const Rows& operations, std::int32_t registers, const Rows& checks) {
  Plan plan;
  plan.registers = registers;
  for (const auto& op : operations)
    plan.operations.push_back({static_cast<PlanOp>(op.at(0)), op.at(1), op.at(2), op.at(3)});
  for (const auto& c : checks)
    plan.checks.push_back({static_cast<Plan::CheckKind>(c.at(0)), c.at(1) != 0, c.at(2) != 0, c.at(3) != 0});
  return plan;
}

struct Exploration {
  Exploration(const Bytecode& program, const ExploreOptions& options) : explorer(program, options) {}
  Explorer explorer;
  std::atomic<bool> stop{false};
};

} // namespace

void bind_explore(nb::module_& m) {
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
      .def_rw("max_events", &ExploreOptions::max_events)
      .def_rw("success_dependencies", &ExploreOptions::success_dependencies)
      .def_rw("forwards", &ExploreOptions::forwards)
      .def_rw("multi_copy_atomic", &ExploreOptions::multi_copy_atomic)
      .def_rw("in_order", &ExploreOptions::in_order)
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
            return static_cast<int>(x.explorer.run(budget, jobs));
          },
          nb::arg("seconds"), nb::arg("executions"), nb::arg("jobs"),
          "0 done, 1 paused (budget or stop), 3 ended by an error.")
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
      .def_prop_ro(
          "estimate",
          [](const Exploration& x) {
            const Estimate e = x.explorer.estimate();
            return nb::make_tuple(e.executions(), e.blocked(), e.error(), e.probes());
          },
          "Complete and blocked executions that there seem to be in all, the standard error of their sum, probes.")
      .def_prop_ro(
          "counts",
          [](const Exploration& x) {
            const Results& r = x.explorer.results();
            return nb::make_tuple(r.executions, r.blocked);
          },
          "Complete and blocked executions of the runs that have ended.")
      .def(
          "take_kept",
          [](Exploration& x) {
            const std::vector<Execution> kept = std::move(x.explorer.results().kept);
            x.explorer.results().kept.clear();
            nb::list out;
            for (const auto& e : kept)
              out.append(to_dict(e));
            return out;
          },
          "The executions kept since it was last asked; they are forgotten.")
      .def("results", [](const Exploration& x) { return to_dict(x.explorer.results()); })
      .def("remaining",
           [](const Exploration& x) {
             nb::list out;
             for (const auto& piece : x.explorer.remaining())
               out.append(nb::bytes(reinterpret_cast<const char*>(piece.data()), piece.size() * sizeof(std::int64_t)));
             return out;
           })
      .def("set_remaining", [](Exploration& x, const std::vector<nb::bytes>& pieces) {
        std::vector<std::vector<std::int64_t>> work;
        for (const auto& piece : pieces)
          work.push_back(to_words(piece));
        x.explorer.set_remaining(std::move(work));
      });
}
