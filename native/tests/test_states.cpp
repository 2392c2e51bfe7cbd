// The search for robustness: the verdicts of the Rocker paper on its smallest programs.
#include "states/search.hpp"
#include "states/state_set.hpp"
#include "tests/assembler.hpp"
#include "tests/check.hpp"

using namespace fencepost;
using namespace fencepost::states;
using namespace fencepost::tests;

namespace {

SearchStatus search(const Bytecode& program, Against against = Against::Ra, unsigned jobs = 1) {
  SearchOptions options;
  options.against = against;
  options.jobs = jobs;
  Search search(program, options);
  while (!search.advance(0.1)) {
  }
  if (search.status() == SearchStatus::Diverges) CHECK(!search.trace().empty());
  return search.status();
}

Bytecode two_threads(bool crossed) {
  Assembler a;
  const auto x = a.variable(), y = a.variable();
  a.thread();
  a.store(x, 1, Mode::Rel);
  crossed ? (void)a.load(y, Mode::Acq) : a.store(y, 1, Mode::Rel);
  a.thread();
  crossed ? a.store(y, 1, Mode::Rel) : (void)a.load(y, Mode::Acq);
  a.load(x, Mode::Acq);
  return a.program();
}

} // namespace

TEST(store_buffering_is_not_robust) {
  CHECK(search(two_threads(true)) == SearchStatus::Diverges);
  CHECK(search(two_threads(true), Against::Ra, 2) == SearchStatus::Diverges);
}

TEST(message_passing_is_robust) { CHECK(search(two_threads(false)) == SearchStatus::Robust); }

TEST(a_barrier_of_waits_is_robust) {
  Assembler a;
  const auto x = a.variable(), y = a.variable();
  a.thread();
  a.store(x, 1, Mode::Rel);
  a.await(y, 1, Mode::Acq);
  a.thread();
  a.store(y, 1, Mode::Rel);
  a.await(x, 1, Mode::Acq);
  CHECK(search(a.program()) == SearchStatus::Robust);
}

TEST(a_state_set_keeps_each_state_once) {
  StateSet set(8, false);
  for (std::uint64_t round = 0; round < 2; ++round)
    for (std::uint64_t k = 0; k < 5000; ++k) {
      const auto number = set.insert(&k, hash_words(&k, 1), StateSet::none);
      CHECK_EQ(number, round ? StateSet::none : static_cast<std::uint32_t>(k));
    }
  CHECK_EQ(set.size(), 5000u);
}
