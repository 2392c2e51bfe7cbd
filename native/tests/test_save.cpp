// An exploration is a value: it is saved, cut, loaded with rows of another width, and goes on to the same end. For
// TruSt and for the engine of models that are plans.
#include "explore/explorer.hpp"
#include "tests/assembler.hpp"
#include "tests/check.hpp"
#include "tests/plans.hpp"

using namespace fencepost;
using namespace fencepost::tests;

namespace {

Bytecode writers_and_readers(int writers, int readers, int before = 0) {
  Assembler a;
  const auto x = a.variable(), y = a.variable();
  for (int t = 0; t < writers; ++t) {
    a.thread();
    for (int k = 0; k < before; ++k)
      a.store(y, 1);
    a.store(x, static_cast<std::uint64_t>(t) + 1, Mode::Rel);
    a.load(x, Mode::Acq);
  }
  for (int t = 0; t < readers; ++t) {
    a.thread();
    a.fetch_add(x, 8, Mode::AcqRel);
  }
  a.observe_memory(x);
  return a.program();
}

ExploreOptions options_of(Model model, bool by_plan) {
  ExploreOptions options;
  options.model = model;
  options.digest = true;
  options.check_duplicates = true;
  if (by_plan) options.plan = sequential_consistency();
  return options;
}

struct End {
  std::uint64_t executions;
  std::map<std::vector<std::uint64_t>, std::uint64_t> outcomes;
  bool operator==(const End&) const = default;
};

End end_of(Explorer& explorer) {
  CHECK(explorer.run(Budget{}, 1) == Progress::Done);
  CHECK_EQ(explorer.results().duplicates, 0u);
  return {explorer.results().executions, explorer.results().outcomes};
}

// The same exploration, saved after every few executions and loaded by an explorer of its own.
End in_steps(const Bytecode& program, const ExploreOptions& options, std::uint64_t step) {
  std::vector<std::vector<std::int64_t>> work(1);
  End all{0, {}};
  for (int round = 0; round < 100000 && !work.empty(); ++round) {
    Explorer explorer(program, options);
    explorer.set_remaining(std::move(work));
    Budget budget;
    budget.executions = step;
    explorer.run(budget, 1);
    work = explorer.remaining();
    all.executions += explorer.results().executions;
    for (const auto& [outcome, count] : explorer.results().outcomes)
      all.outcomes[outcome] += count;
  }
  CHECK(work.empty());
  return all;
}

// The same exploration, cut into pieces that are explored one by one.
End in_pieces(const Bytecode& program, const ExploreOptions& options, std::size_t pieces) {
  Explorer explorer(program, options);
  Budget little;
  little.executions = 1;
  explorer.run(little, 1);
  explorer.split(pieces);
  CHECK(explorer.remaining().size() > 1);
  End all{explorer.results().executions, explorer.results().outcomes};
  for (const auto& piece : explorer.remaining()) {
    Explorer other(program, options);
    other.set_remaining({piece});
    const End end = end_of(other);
    all.executions += end.executions;
    for (const auto& [outcome, count] : end.outcomes)
      all.outcomes[outcome] += count;
  }
  return all;
}

void comes_to_the_same_end(const Bytecode& program, const ExploreOptions& options, std::uint64_t executions) {
  Explorer whole(program, options);
  const End end = end_of(whole);
  CHECK_EQ(end.executions, executions);
  CHECK(in_steps(program, options, 1) == end);
  CHECK(in_steps(program, options, 7) == end);
  CHECK(in_pieces(program, options, 4) == end);
  CHECK(in_pieces(program, options, 50) == end);
}

std::vector<std::int64_t> saved(const Bytecode& program, const ExploreOptions& options) {
  Explorer explorer(program, options);
  Budget little;
  little.executions = 3;
  CHECK(explorer.run(little, 1) == Progress::Paused);
  return explorer.remaining().at(0);
}

} // namespace

// By hand: a read may see its own write or a later one of three, so 3·2 + 3·1 + 2·1 ways for each order of two threads.
TEST(trust_goes_on_from_what_was_saved) {
  comes_to_the_same_end(writers_and_readers(2, 1), options_of(Model::Rc11, false), 22);
  comes_to_the_same_end(writers_and_readers(2, 1), options_of(Model::Sc, false), 22);
}

TEST(a_plan_goes_on_from_what_was_saved) {
  comes_to_the_same_end(writers_and_readers(2, 1), options_of(Model::Sc, true), 22);
}

TEST(a_plan_of_sequential_consistency_finds_what_sc_finds) {
  for (const auto& program : {writers_and_readers(2, 0), writers_and_readers(1, 2), writers_and_readers(2, 1)}) {
    Explorer judged(program, options_of(Model::Sc, true)), tuned(program, options_of(Model::Sc, false));
    CHECK(end_of(judged) == end_of(tuned));
  }
}

TEST(what_was_saved_in_one_word_goes_on_in_many) {
  const auto program = writers_and_readers(1, 1, 66); // more than 64 events, but not from the start
  for (const bool by_plan : {false, true}) {
    const auto options = options_of(Model::Sc, by_plan);
    Explorer whole(program, options);
    const End end = end_of(whole);
    CHECK_EQ(end.executions, 3u);
    CHECK(in_steps(program, options, 1) == end);
  }
}

TEST(a_saved_exploration_that_is_cut_short_is_refused) {
  for (const bool by_plan : {false, true}) {
    const auto program = writers_and_readers(2, 1);
    const auto options = options_of(Model::Sc, by_plan);
    const auto whole = saved(program, options);
    for (std::size_t length = 1; length < whole.size(); length += 5) {
      Explorer explorer(program, options);
      explorer.set_remaining({{whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}});
      bool refused = false;
      try {
        explorer.run(Budget{}, 1);
      } catch (const DecodeError&) {
        refused = true;
      } catch (const BrokenContract&) {
        refused = true;
      }
      CHECK(refused);
    }
  }
}

TEST(a_stop_from_outside_leaves_the_rest_to_be_done) {
  const auto program = writers_and_readers(3, 1);
  const auto options = options_of(Model::Rc11, false);
  std::atomic<bool> stop{true};
  Budget budget;
  budget.stop = &stop;
  Explorer explorer(program, options);
  CHECK(explorer.run(budget, 2) == Progress::Paused);
  CHECK(!explorer.remaining().empty());
  stop = false;
  CHECK(explorer.run(budget, 2) == Progress::Done);
  Explorer other(program, options);
  CHECK_EQ(explorer.results().executions, end_of(other).executions);
}

TEST(an_estimate_with_room_for_all_is_exact) {
  const auto program = writers_and_readers(2, 1);
  for (const bool by_plan : {false, true}) {
    const auto options = options_of(Model::Sc, by_plan);
    Explorer explorer(program, options), whole(program, options);
    explorer.estimate(Budget{}, 10000);
    CHECK_EQ(explorer.outlook().all.executions, static_cast<double>(end_of(whole).executions));
  }
}
