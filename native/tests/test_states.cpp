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

TEST(the_models_differ_where_they_should) {
  Assembler two_plus_two; // 2+2W: only RA may put a write behind an older one
  {
    Assembler& a = two_plus_two;
    const auto x = a.variable(), y = a.variable();
    a.thread();
    a.store(x, 1, Mode::Rel);
    a.store(y, 2, Mode::Rel);
    a.thread();
    a.store(y, 1, Mode::Rel);
    a.store(x, 2, Mode::Rel);
  }
  const Bytecode program = two_plus_two.program();
  CHECK(search(program, Against::Ra) == SearchStatus::Diverges);
  CHECK(search(program, Against::Sra) == SearchStatus::Robust);
  CHECK(search(program, Against::Tso) == SearchStatus::Robust);
  CHECK(search(two_threads(true), Against::Sra) == SearchStatus::Diverges);
  CHECK(search(two_threads(true), Against::Tso) == SearchStatus::Diverges);
}

TEST(fences_belong_to_tso_and_updates_to_all) {
  Assembler fenced, updated;
  for (Assembler* a : {&fenced, &updated}) {
    const auto x = a->variable(), y = a->variable(), f = a->variable();
    for (const auto& [mine, other] : {std::pair{x, y}, std::pair{y, x}}) {
      a->thread();
      a->store(mine, 1, Mode::Rel);
      a == &fenced ? a->fence(FenceKind::Sc) : (void)a->fetch_add(f, 0, Mode::AcqRel);
      a->load(other, Mode::Acq);
    }
  }
  const Bytecode with_fences = fenced.program(), with_updates = updated.program();
  CHECK(search(with_fences, Against::Tso) == SearchStatus::Robust);
  CHECK(search(with_fences, Against::Ra) == SearchStatus::Unsupported); // should have been lowered
  for (const Against model : {Against::Ra, Against::Sra, Against::Tso})
    CHECK(search(with_updates, model) == SearchStatus::Robust);
}

TEST(a_race_is_found_where_accesses_are_not_atomic) {
  Assembler a;
  const auto x = a.variable();
  a.thread();
  a.store(x, 1, Mode::Na);
  a.thread();
  a.load(x, Mode::Na);
  const Bytecode program = a.program();
  CHECK(search(program, Against::Ra) == SearchStatus::Race);
  CHECK(search(program, Against::Tso) == SearchStatus::Robust); // hardware has no races
}

TEST(a_limit_is_not_an_answer) {
  SearchOptions few;
  few.states = 3;
  const Bytecode program = two_threads(false);
  Search search(program, few);
  while (!search.advance(0.1)) {
  }
  CHECK(search.status() == SearchStatus::StateLimit);
}

TEST(a_codec_gives_back_what_it_packed) {
  const Bytecode program = two_threads(true);
  LocalStates locals(program, LocalStates::Reading::Lowered);
  for (std::uint32_t round = 0; round < 3; ++round)
    for (std::uint32_t t = 0; t < locals.threads(); ++t)
      for (std::uint32_t n = 1; n < locals.count(t); ++n)
        if (locals.at(t, n).kind != LabelKind::End) locals.compute(t, n, 0);
  const Plan plan = Plan::make(locals, Against::Tso);
  const Codec codec(locals, plan);
  State s;
  s.locals = {locals.count(0) - 1, 1};
  s.values = {1, 0};
  s.writers = {2, 1};
  for (std::uint32_t k = 0; k < plan.rows; ++k)
    s.rows.push_back(k % 4);
  std::vector<std::uint64_t> packed(codec.words() + 1);
  codec.pack(s, packed.data());
  State back;
  codec.unpack(reinterpret_cast<const std::uint8_t*>(packed.data()), back, plan);
  CHECK(back.locals == s.locals);
  CHECK(back.values == s.values);
  CHECK(back.writers == s.writers);
  CHECK(back.rows == s.rows);
  CHECK_EQ(codec.bytes(), codec.bits() / 8 + 1);
}

TEST(dead_registers_are_forgotten) {
  Assembler a;
  const auto x = a.variable(), y = a.variable();
  a.thread();
  a.load(x); // its value is never used: whatever it read, the thread is in one state afterwards
  a.load(y);
  a.thread();
  a.store(x, 1);
  const Bytecode program = a.program();
  LocalStates locals(program, LocalStates::Reading::Lowered);
  locals.compute(1, locals.start(1), 0); // gives x its second value
  locals.compute(0, locals.start(0), 0);
  locals.compute(0, locals.start(0), 1);
  const LocalState& first = locals.at(0, locals.start(0));
  CHECK_EQ(first.successors.size(), 2u);
  CHECK_EQ(first.successors[0].next, first.successors[1].next);
}

TEST(a_compact_set_tells_states_apart_by_their_hash) {
  StateSet set(8, true);
  const std::uint64_t a = 1, b = 2;
  CHECK_EQ(set.insert(&a, 7, StateSet::none), 0u);
  CHECK_EQ(set.insert(&b, 7, StateSet::none), StateSet::none);
  CHECK_EQ(set.insert(&b, 8, 0), 1u);
  CHECK_EQ(set.parent(1), 0u);
}
