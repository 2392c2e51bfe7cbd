// Execution graphs: events come and go, and every link has its counterpart. `validate` looks at the whole graph.
#include "graph/validate.hpp"
#include "tests/assembler.hpp"
#include "tests/check.hpp"

using namespace fencepost;
using namespace fencepost::tests;

namespace {

// Two threads: x := 1; x := 2 and a := x; b := x. Or one more that adds to x.
struct World {
  World() {
    Assembler a;
    const auto x = a.variable();
    a.thread();
    a.store(x, 1);
    a.store(x, 2);
    a.thread();
    a.load(x);
    a.load(x);
    a.thread();
    a.fetch_add(x, 1);
    program = a.program();
    states = std::make_unique<LocalStates>(program, false, MachineLimits{},
                                           std::make_shared<ThreadNumbers>(program.threads.size()));
    start(g);
    start(wide);
  }

  template <class G> void start(G& graph) {
    graph.thread.resize(3);
    for (std::uint32_t t = 0; t < 3; ++t)
      graph.thread[t].now = states->first(t, t, {});
    graph.location.resize(states->locations().count());
  }

  template <class G> Id append(G& graph, std::uint32_t t) {
    const Id e = graph.append(t, false);
    graph.prefix_of(e).clear();
    if (const Id before = graph[e].po_before; before != none) {
      graph.prefix_of(e) = graph.prefix_of(before);
      graph.prefix_of(e).set(graph.bit(before));
    }
    graph.thread[t].now = states->next(graph.thread[t].now, 0);
    if (graph.location.size() < states->locations().count()) graph.location.resize(states->locations().count());
    return e;
  }

  Bytecode program;
  std::unique_ptr<LocalStates> states;
  Graph<1> g;
  Graph<many> wide;
};

} // namespace

TEST(events_get_numbers_stamps_and_neighbours) {
  World w;
  const Id first = w.append(w.g, 0), second = w.append(w.g, 0);
  CHECK_EQ(first, 0);
  CHECK_EQ(second, 1);
  CHECK_EQ(w.g[first].stamp, 0u);
  CHECK_EQ(w.g[second].stamp, 1u);
  CHECK_EQ(w.g[second].po_before, first);
  CHECK_EQ(w.g[first].po_after, second);
  CHECK_EQ(w.g[second].index, 1u);
  CHECK_EQ(w.g.thread[0].last, second);
}

TEST(a_number_that_is_given_back_is_used_again) {
  World w;
  w.append(w.g, 0);
  const Id last = w.append(w.g, 1);
  w.g.retract(last);
  CHECK_EQ(w.g.order.size(), 1u);
  CHECK(!w.g.used.test(1));
  CHECK_EQ(w.append(w.g, 1), last);
}

TEST(what_is_retracted_leaves_the_thread_where_it_was) {
  World w;
  LocalState* const before = w.g.thread[1].now;
  const Id e = w.append(w.g, 1);
  CHECK(w.g.thread[1].now != before);
  w.g.retract(e);
  CHECK(w.g.thread[1].now == before);
  CHECK_EQ(w.g.thread[1].last, none);
  CHECK(w.g.thread[1].events.none());
  CHECK(w.g.location[0].reads.none());
}

TEST(coherence_is_a_list_with_two_ends) {
  World w;
  const Id a = w.append(w.g, 0), b = w.append(w.g, 0);
  const Location x = w.g[a].location;
  CHECK_EQ(w.g.coherence_last(x), initial);
  w.g.place(a, initial);
  w.g.place(b, a);
  CHECK_EQ(w.g.coherence_last(x), b);
  CHECK_EQ(w.g.coherence_after(initial, x), a);
  CHECK_EQ(w.g.coherence_after(a, x), b);
  CHECK_EQ(w.g.coherence_after(b, x), none);
  CHECK_EQ(w.g[b].co_before, a);
  validate(w.g);
}

TEST(a_write_can_come_before_all_others) {
  World w;
  const Id a = w.append(w.g, 0), b = w.append(w.g, 0);
  const Location x = w.g[a].location;
  w.g.place(a, initial);
  w.g.place(b, initial);
  CHECK_EQ(w.g.coherence_after(initial, x), b);
  CHECK_EQ(w.g.coherence_last(x), a);
  CHECK_EQ(w.g[a].co_before, b);
}

TEST(a_write_that_is_displaced_closes_the_list_behind_it) {
  World w;
  const Id a = w.append(w.g, 0), b = w.append(w.g, 0);
  const Location x = w.g[a].location;
  w.g.place(a, initial);
  w.g.place(b, a);
  w.g.displace(a);
  CHECK_EQ(w.g.coherence_after(initial, x), b);
  CHECK_EQ(w.g[b].co_before, initial);
  CHECK(!w.g.location[x].writes.test(0) && w.g.location[x].writes.test(1));
  w.g.displace(b);
  CHECK_EQ(w.g.coherence_last(x), initial);
}

TEST(a_write_knows_its_readers) {
  World w;
  const Id a = w.append(w.g, 0), r = w.append(w.g, 1);
  const Location x = w.g[a].location;
  w.g.place(a, initial);
  w.g.set_reads_from(r, a);
  CHECK(w.g.readers_of(a, x).test(w.g.bit(r)));
  w.g.clear_reads_from(r);
  CHECK(w.g.readers_of(a, x).none());
  CHECK_EQ(w.g[r].reads_from, none);
  w.g.set_reads_from(r, initial);
  CHECK(w.g.location[x].initial_readers.test(w.g.bit(r)));
  validate(w.g);
}

TEST(a_marker_stands_in_the_order_and_nowhere_else) {
  World w;
  const Id r = w.append(w.g, 1);
  LocalState* const at = w.g[r].at;
  w.g.make_waiting(r);
  CHECK(w.g[r].is_marker() && w.g.thread[1].now == at);
  CHECK_EQ(w.g.thread[1].waits, r);
  CHECK_EQ(w.g.thread[1].last, none);
  CHECK(w.g.location[0].reads.none());
  CHECK(!w.g.shown(r));
  w.g.unmake_waiting(r, none);
  CHECK(!w.g[r].is_marker() && w.g.location[0].reads.test(w.g.bit(r)));
  CHECK_EQ(w.g.thread[1].last, r);
}

TEST(an_update_takes_the_place_behind_what_it_read) {
  World w;
  const Id a = w.append(w.g, 0), r = w.append(w.g, 2), u = w.append(w.g, 2);
  const Location x = w.g[a].location;
  w.g.place(a, initial);
  w.g.set_reads_from(r, a);
  CHECK(w.g[u].is_update());
  CHECK_EQ(w.g.read_of_update(u), r);
  CHECK(!w.g.taken_by_update(a, x));
  w.g.place(u, a);
  CHECK(w.g.taken_by_update(a, x) && !w.g.taken_by_update(initial, x));
  CHECK(w.g.updates(r) && w.g.updates(u) && !w.g.updates(a));
}

TEST(the_events_of_a_thread_come_in_program_order) {
  World w;
  const Id a = w.append(w.g, 0);
  w.append(w.g, 1);
  const Id b = w.append(w.g, 0);
  CHECK((w.g.order_of(0) == std::vector<Id>{a, b}));
  CHECK(w.g.order_of(2).empty());
}

TEST(a_copy_of_a_graph_is_a_graph_of_its_own) {
  World w;
  const Id a = w.append(w.wide, 0), r = w.append(w.wide, 1);
  w.wide.place(a, initial);
  const Graph<many> copy = w.wide;
  w.wide.set_reads_from(r, a);
  CHECK_EQ(copy[r].reads_from, none);
  CHECK(copy.readers_of(a, copy[a].location).none());
  w.wide.clear_reads_from(r);
  w.wide = copy;
  CHECK_EQ(w.wide.order.size(), 2u);
  CHECK(w.wide.bytes() > sizeof w.wide);
}

TEST(a_narrow_graph_is_full_at_its_width) {
  Assembler a;
  const auto x = a.variable();
  a.thread();
  for (std::uint64_t k = 0; k < 70; ++k)
    a.store(x, k);
  const Bytecode program = a.program();
  LocalStates states(program, false, MachineLimits{}, std::make_shared<ThreadNumbers>(program.threads.size()));
  const auto fill = [&](auto graph) {
    graph.thread.resize(1);
    graph.thread[0].now = states.first(0, 0, {});
    unsigned count = 0;
    for (;;) {
      if (graph.location.size() < states.locations().count()) graph.location.resize(states.locations().count());
      if (graph.thread[0].now->action.kind == ActionKind::End || graph.append(0, true) == none) return count;
      graph.thread[0].now = states.next(graph.thread[0].now, 0);
      ++count;
    }
  };
  CHECK_EQ(fill(Graph<1>{}), 64u);
  CHECK_EQ(fill(Graph<many>{}), 70u);
}

TEST(a_broken_graph_is_not_valid) {
  World w;
  const Id a = w.append(w.g, 0), r = w.append(w.g, 1);
  w.g.place(a, initial);
  w.g.set_reads_from(r, a);
  w.g.prefix_of(r).set(w.g.bit(a));
  validate(w.g);
  auto broken = w.g;
  broken.readers[0].clear();
  CHECK_THROWS(validate(broken), BrokenContract);
  broken = w.g;
  broken[a].co_before = none;
  CHECK_THROWS(validate(broken), BrokenContract);
  broken = w.g;
  broken.order.pop_back();
  CHECK_THROWS(validate(broken), BrokenContract);
}
