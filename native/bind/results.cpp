#include "explore/results.hpp"
#include "bind/bind.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace fencepost;

namespace {

// Enumerations cross the seam as their numbers, which a test holds equal on both sides.
template <class C, class E> void number(nb::class_<C>& c, const char* name, E C::* member) {
  c.def_prop_rw(
      name, [member](const C& x) { return static_cast<int>(x.*member); },
      [member](C& x, int value) { x.*member = static_cast<E>(value); });
}

// Lists of structs are handed out as copies: what they came from may grow.
template <class C, class T> void list(nb::class_<C>& c, const char* name, std::vector<T> C::* member) {
  c.def_prop_rw(
      name, [member](const C& x) { return x.*member; }, [member](C& x, std::vector<T> v) { x.*member = std::move(v); });
}

template <class C, class T> void list(nb::class_<C>& c, const char* name, std::set<T> C::* member) {
  c.def_prop_rw(
      name, [member](const C& x) { return std::vector<T>((x.*member).begin(), (x.*member).end()); },
      [member](C& x, const std::vector<T>& all) { x.*member = {all.begin(), all.end()}; });
}

void bind_execution(nb::module_& m) {
  using Event = Execution::Event;
  nb::class_<Event> event(m, "CoreEvent", "An event of an execution graph.");
  event.def(nb::init<>());
  event.def_rw("thread", &Event::thread).def_rw("index", &Event::index);
  number(event, "kind", &Event::kind);
  number(event, "mode", &Event::mode);
  number(event, "fence", &Event::fence);
  number(event, "size", &Event::size);
  event.def_rw("rmw", &Event::rmw).def_rw("exclusive", &Event::exclusive).def_rw("noreturn", &Event::noreturn);
  event.def_rw("address", &Event::address).def_rw("value", &Event::value).def_rw("position", &Event::position);
  event.def_rw("reads_from", &Event::reads_from).def_rw("joined", &Event::joined);
  list(event, "address_deps", &Event::address_deps);
  list(event, "data_deps", &Event::data_deps);
  list(event, "control_deps", &Event::control_deps);

  using Stuck = Execution::Stuck;
  nb::class_<Stuck> stuck(m, "CoreStuck", "A thread that waits at the end.");
  stuck.def(nb::init<>()).def_rw("thread", &Stuck::thread).def_rw("position", &Stuck::position);
  number(stuck, "kind", &Stuck::kind);

  nb::class_<Execution> execution(m, "CoreExecution", "An execution graph; events in the order of the core.");
  execution.def(nb::init<>());
  list(execution, "events", &Execution::events);
  list(execution, "coherence", &Execution::coherence);
  list(execution, "outcome", &Execution::outcome);
  list(execution, "stuck", &Execution::stuck);
  list(execution, "spawned_by", &Execution::spawned_by);
}

void bind_left_out(nb::module_& m) {
  nb::class_<Between> between(m, "CoreBetween", "What a round that was left out did at a place.");
  between.def(nb::init<>()).def_rw("thread", &Between::thread).def_rw("loop", &Between::loop);
  number(between, "kind", &Between::kind);
  number(between, "size", &Between::size);
  between.def_rw("address", &Between::address).def_rw("without", &Between::without).def_rw("was", &Between::was);
  between.def("is_read", &Between::is_read);

  nb::class_<Look> look(m, "CoreLook", "What a thread does at a place where a round may have been left out.");
  look.def(nb::init<>()).def_rw("thread", &Look::thread).def_rw("address", &Look::address);
  number(look, "kind", &Look::kind);
  number(look, "size", &Look::size);
  number(look, "op", &Look::op);
  number(look, "bits", &Look::bits);
  look.def_rw("mask", &Look::mask).def_rw("operand", &Look::operand).def_rw("bytes", &Look::bytes);
  look.def_rw("follows", &Look::follows);
  m.def("meet", &meet, nb::arg("between"), nb::arg("look"), "Whether what the one does may matter to the other.");
}

} // namespace

void bind_results(nb::module_& m) {
  bind_execution(m);
  bind_left_out(m);
  nb::class_<Finding> finding(m, "CoreFinding", "An error, or a place where our knowledge ends.");
  finding.def(nb::init<>());
  number(finding, "kind", &Finding::kind);
  finding.def_rw("message", &Finding::message).def_rw("position", &Finding::position);
  finding.def_rw("thread", &Finding::thread).def_rw("count", &Finding::count);
  list(finding, "events", &Finding::events);
  finding.def_prop_rw(
      "execution", [](const Finding& f) { return f.execution; }, [](Finding& f, Execution x) { f.execution = x; });

  using Outcome = std::pair<std::vector<std::uint64_t>, std::uint64_t>;
  nb::class_<Results> results(m, "CoreResults", "What an exploration found.");
  results.def(nb::init<>());
  results.def_rw("executions", &Results::executions).def_rw("blocked", &Results::blocked);
  results.def_rw("choices", &Results::choices);
  results.def_rw("erroneous", &Results::erroneous).def_rw("duplicates", &Results::duplicates);
  results.def_rw("unstable", &Results::unstable).def_rw("unjustified", &Results::unjustified);
  results.def_rw("doubt", &Results::doubt);
  results.def_rw("representing", &Results::representing).def_rw("uncounted", &Results::uncounted);
  results.def_rw("late", &Results::late);
  results.def_rw("asymmetric", &Results::asymmetric).def_rw("irregular", &Results::irregular);
  results.def_prop_rw(
      "digest", [](const Results& r) { return std::pair(r.digest.low, r.digest.high); },
      [](Results& r, std::pair<std::uint64_t, std::uint64_t> d) { r.digest = {d.first, d.second}; });
  results.def_rw("dead_ends", &Results::dead_ends).def_rw("waits_in_block", &Results::waits_in_block);
  results.def_prop_rw(
      "outcomes", [](const Results& r) { return std::vector<Outcome>(r.outcomes.begin(), r.outcomes.end()); },
      [](Results& r, const std::vector<Outcome>& all) { r.outcomes = {all.begin(), all.end()}; });
  results.def_prop_rw(
      "flags", [](const Results& r) { return std::vector<std::int32_t>(r.flags.begin(), r.flags.end()); },
      [](Results& r, const std::vector<std::int32_t>& all) { r.flags = {all.begin(), all.end()}; });
  results.def_prop_rw(
      "assumed", [](const Results& r) { return std::vector<std::uint32_t>(r.assumed.begin(), r.assumed.end()); },
      [](Results& r, const std::vector<std::uint32_t>& all) { r.assumed = {all.begin(), all.end()}; });
  list(results, "findings", &Results::findings);
  list(results, "kept", &Results::kept);
  list(results, "cuts", &Results::cuts);
  results.def_rw("in_parts", &Results::in_parts);
  list(results, "between", &Results::between);
  list(results, "looks", &Results::looks);
  results.def(
      "merge", [](Results& r, Results other) { r.merge(std::move(other)); }, nb::arg("other"),
      "Adds what another run of the same exploration found.");
}
