// Exact numbers of executions: those of the papers, and those that a hand can count.
#include "explore/explorer.hpp"
#include "tests/assembler.hpp"
#include "tests/check.hpp"

using namespace fencepost;
using namespace fencepost::tests;

namespace {

Results explore(const Bytecode& program, Model model, unsigned jobs = 1) {
  ExploreOptions options;
  options.model = model;
  options.keep_going = true;
  options.check_duplicates = true;
  Explorer explorer(program, options);
  explorer.run(Budget{}, jobs);
  CHECK(explorer.remaining().empty());
  return std::move(explorer.results());
}

std::uint64_t count(const Bytecode& program, Model model) {
  const auto found = explore(program, model);
  CHECK_EQ(found.duplicates, 0u);
  return found.executions;
}

constexpr Model every_model[] = {Model::Sc, Model::Tso, Model::Pso, Model::Ra, Model::Rc11, Model::Rc11Cpp20};

Bytecode store_buffering(Mode store, Mode load, bool fenced = false) {
  Assembler a;
  const auto x = a.variable(), y = a.variable();
  Register seen[2];
  for (int t = 0; t < 2; ++t) {
    a.thread();
    a.store(t ? y : x, 1, store);
    if (fenced) a.fence(FenceKind::Sc);
    seen[t] = a.load(t ? x : y, load);
  }
  a.observe(0, seen[0]);
  a.observe(1, seen[1]);
  return a.program();
}

Bytecode message_passing(Mode store, Mode load) {
  Assembler a;
  const auto x = a.variable(), y = a.variable();
  a.thread();
  a.store(x, 1);
  a.store(y, 1, store);
  a.thread();
  const auto flag = a.load(y, load), data = a.load(x);
  a.observe(1, flag);
  a.observe(1, data);
  return a.program();
}

Bytecode increments(int threads, int variables) {
  Assembler a;
  Variable v[2];
  for (int k = 0; k < variables; ++k)
    v[k] = a.variable();
  for (int t = 0; t < threads; ++t) {
    a.thread();
    for (int k = 0; k < variables; ++k)
      a.fetch_add(v[k], 1);
  }
  for (int k = 0; k < variables; ++k)
    a.observe_memory(v[k]);
  return a.program();
}

Bytecode casw(std::uint64_t threads) {
  Assembler a;
  const auto x = a.variable();
  for (std::uint64_t i = 1; i <= threads; ++i) {
    a.thread();
    a.cas(x, 0, i);
    a.store(x, i + 3, Mode::Rel);
  }
  return a.program();
}

} // namespace

TEST(readers_have_two_to_the_n_executions) {
  Assembler a;
  const auto x = a.variable();
  a.thread();
  a.store(x, 42, Mode::Rel);
  for (int t = 0; t < 7; ++t) {
    a.thread();
    a.load(x, Mode::Acq);
  }
  for (const auto model : every_model)
    CHECK_EQ(count(a.program(), model), 128u);
}

TEST(increments_have_factorial_executions_and_one_outcome) {
  for (const auto model : every_model) {
    CHECK_EQ(count(increments(4, 1), model), 24u);
    CHECK_EQ(count(increments(3, 2), model), 36u);
  }
  const auto found = explore(increments(4, 1), Model::Rc11);
  CHECK_EQ(found.outcomes.size(), 1u);
  CHECK_EQ(found.outcomes.begin()->first.at(0), 4u);
}

TEST(casrot_and_casw_have_the_paper_s_numbers) {
  Assembler a;
  const auto x = a.variable();
  for (std::uint64_t i = 1; i <= 6; ++i) {
    a.thread();
    a.cas(x, i - 1, i);
  }
  CHECK_EQ(count(a.program(), Model::Rc11), 144u);
  CHECK_EQ(count(casw(3), Model::Rc11), 66u);
  CHECK_EQ(count(casw(4), Model::Rc11), 1200u);
}

TEST(store_buffering_tells_the_models_apart) {
  const auto plain = store_buffering(Mode::Rlx, Mode::Rlx);
  CHECK_EQ(count(plain, Model::Sc), 3u);
  for (const auto model : {Model::Tso, Model::Pso, Model::Ra, Model::Rc11})
    CHECK_EQ(count(plain, model), 4u);
  CHECK_EQ(count(store_buffering(Mode::Sc, Mode::Sc), Model::Rc11), 3u);
  CHECK_EQ(count(store_buffering(Mode::Rlx, Mode::Rlx, true), Model::Rc11), 3u);
  CHECK_EQ(count(store_buffering(Mode::Rlx, Mode::Rlx, true), Model::Tso), 3u);
}

TEST(message_passing_tells_the_modes_apart) {
  CHECK_EQ(count(message_passing(Mode::Rlx, Mode::Rlx), Model::Rc11), 4u);
  CHECK_EQ(count(message_passing(Mode::Rel, Mode::Acq), Model::Rc11), 3u);
  CHECK_EQ(count(message_passing(Mode::Rlx, Mode::Rlx), Model::Tso), 3u);
  CHECK_EQ(count(message_passing(Mode::Rlx, Mode::Rlx), Model::Pso), 4u);
}

TEST(an_await_blocks_until_it_is_served) {
  Assembler a;
  const auto x = a.variable(), y = a.variable();
  a.thread();
  a.store(x, 1);
  a.await(y, 1);
  a.thread();
  a.store(y, 1);
  a.await(x, 1);
  for (const auto model : every_model)
    CHECK_EQ(count(a.program(), model), 1u);
}

TEST(a_failing_assertion_is_found_with_its_execution) {
  Assembler a;
  const auto x = a.variable();
  a.thread();
  a.store(x, 1);
  a.thread();
  const auto seen = a.load(x);
  a.check(a.compute(Op::Eq, seen, a.constant(0)));
  const auto found = explore(a.program(), Model::Rc11);
  CHECK_EQ(found.findings.size(), 1u);
  CHECK(found.findings.at(0).kind == ErrorKind::Assertion);
  CHECK(!found.findings.at(0).execution.events.empty());
}

TEST(a_race_on_non_atomics_is_found) {
  Assembler a;
  const auto x = a.variable();
  for (int t = 0; t < 2; ++t) {
    a.thread();
    a.store(x, 1, Mode::Na);
  }
  const auto found = explore(a.program(), Model::Rc11);
  CHECK(!found.findings.empty() && found.findings.at(0).kind == ErrorKind::Race);
}

TEST(several_jobs_find_what_one_finds) {
  const auto program = casw(4);
  const auto alone = explore(program, Model::Rc11), together = explore(program, Model::Rc11, 3);
  CHECK_EQ(alone.executions, together.executions);
  CHECK_EQ(together.duplicates, 0u);
}

TEST(an_exploration_goes_on_where_it_stopped) {
  const auto program = casw(4);
  ExploreOptions options;
  Explorer explorer(program, options);
  int rounds = 0;
  for (Progress progress = Progress::Paused; progress != Progress::Done && rounds < 1000; ++rounds) {
    Budget budget;
    budget.executions = 100;
    progress = explorer.run(budget, 1);
    CHECK(progress == Progress::Done || progress == Progress::Paused);
  }
  CHECK_EQ(explorer.results().executions, 1200u);
  CHECK(rounds > 2);
}

TEST(graphs_grow_past_a_machine_word) {
  Assembler a;
  const auto x = a.variable();
  a.thread();
  for (std::uint64_t k = 0; k < 150; ++k)
    a.store(x, k);
  a.thread();
  a.load(x);
  CHECK_EQ(count(a.program(), Model::Rc11), 151u);
}
