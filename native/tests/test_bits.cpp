// Sets of events: the narrow ones of fixed size and the wide ones that grow, held against std::set.
#include "graph/wide_bits.hpp"
#include "tests/check.hpp"

#include <random>
#include <set>

using namespace fencepost;
using namespace fencepost::tests;

namespace {

using Wide = Bits<many>;
using Numbers = std::set<unsigned>;

template <class S> Numbers members(const S& s) {
  Numbers found;
  s.each([&](unsigned i) { found.insert(i); });
  return found;
}

template <class S> S set_of(const Numbers& numbers) {
  S s;
  for (const unsigned i : numbers)
    s.set(i);
  return s;
}

Numbers some_below(unsigned limit, std::mt19937& random) {
  Numbers found;
  for (unsigned k = random() % 40; k > 0; --k)
    found.insert(static_cast<unsigned>(random() % limit));
  return found;
}

template <class S> void compare_with_a_set(unsigned limit, unsigned seed) {
  std::mt19937 random(seed);
  for (int round = 0; round < 60; ++round) {
    const Numbers a = some_below(limit, random), b = some_below(random() % 2 ? limit : 64, random);
    const S s = set_of<S>(a), t = set_of<S>(b);
    Numbers both, either = a, left = a;
    for (const unsigned i : b) {
      if (a.contains(i)) both.insert(i);
      either.insert(i);
      left.erase(i);
    }
    CHECK(members(s & t) == both && members(s | t) == either && members(s - t) == left);
    CHECK_EQ(s.meets(t), !both.empty());
    CHECK_EQ(s.count(), a.size());
    CHECK_EQ(s.any(), !a.empty());
    CHECK_EQ(s.first(), a.empty() ? S::capacity : *a.begin());
    CHECK_EQ(s.last(), a.empty() ? S::capacity : *a.rbegin());
    CHECK_EQ(s == t, a == b);
    CHECK((s | t) == (t | s) && (s & t) == (t & s));
  }
}

} // namespace

TEST(narrow_sets_agree_with_a_set) {
  compare_with_a_set<Bits<1>>(64, 1);
  compare_with_a_set<Bits<4>>(256, 2);
}

TEST(wide_sets_agree_with_a_set) {
  for (const unsigned limit : {64u, 128u, 384u, 385u, 1000u, Wide::capacity})
    compare_with_a_set<Wide>(limit, limit);
}

TEST(a_wide_set_begins_empty) {
  const Wide s;
  CHECK(s.none() && !s.any() && s.count() == 0 && !s.test(0) && !s.test(Wide::capacity - 1));
  CHECK_EQ(s.first(), Wide::capacity);
  CHECK_EQ(s.first_absent(), 0u);
}

TEST(wide_sets_are_equal_whatever_they_once_held) {
  Wide s, t;
  s.set(3);
  s.set(5000);
  s.reset(5000);
  t.set(3);
  CHECK(s == t && t == s);
  t.set(4);
  CHECK(!(s == t) && !(t == s));
}

TEST(a_wide_set_that_was_cleared_has_no_old_elements) {
  Wide s = set_of<Wide>({0, 70, 700, 7000});
  s.clear();
  CHECK(s.none());
  s.set(7001); // what was in between comes back empty
  CHECK(members(s) == Numbers{7001});
}

TEST(cutting_a_wide_set_forgets_what_was_cut) {
  Wide s = set_of<Wide>({1, 65, 6500});
  s &= set_of<Wide>({1, 2});
  CHECK(members(s) == Numbers{1});
  s |= set_of<Wide>({6501});
  CHECK((members(s) == Numbers{1, 6501}));
}

TEST(copies_of_a_wide_set_go_their_own_ways) {
  const Numbers numbers{5, 384, 8000};
  const auto untouched = [&](auto&& change) {
    const Wide s = set_of<Wide>(numbers);
    Wide copy = s, other = copy;
    change(copy);
    CHECK(members(s) == numbers && members(other) == numbers);
    other = copy;
    CHECK(members(other) == members(copy) && members(s) == numbers);
  };
  untouched([](Wide& s) { s.set(6); });
  untouched([](Wide& s) { s.set(9000); });
  untouched([](Wide& s) { s.reset(384); });
  untouched([](Wide& s) { s |= set_of<Wide>({7, 400}); });
  untouched([](Wide& s) { s |= set_of<Wide>({5, 9000}); });
  untouched([](Wide& s) { s &= set_of<Wide>({5}); });
  untouched([](Wide& s) { s -= set_of<Wide>({8000}); });
  untouched([](Wide& s) { s.clear(), s.set(1); });
  untouched([](Wide& s) { s = set_of<Wide>({1}); });
  untouched([](Wide& s) { s = set_of<Wide>({1, 9000}); });
  untouched([](Wide& s) {
    Wide moved = std::move(s);
    s = moved;
    moved.set(6);
  });
  untouched([](Wide& s) {
    const Wide same = s;
    s = same;
    s.set(7);
  });
}

TEST(wide_sets_are_copied_and_moved_whole) {
  for (const Numbers& numbers : {Numbers{}, Numbers{5}, Numbers{5, 383}, Numbers{5, 384}, Numbers{1, 8000}}) {
    Wide s = set_of<Wide>(numbers);
    const Wide copy = s;
    CHECK(members(copy) == numbers);
    Wide moved = std::move(s);
    CHECK(members(moved) == numbers);
    Wide assigned = set_of<Wide>({9, 4000});
    assigned = copy;
    CHECK(members(assigned) == numbers);
    assigned = set_of<Wide>({2, 5000});
    CHECK((members(assigned) == Numbers{2, 5000}));
    assigned = std::move(moved);
    CHECK(members(assigned) == numbers);
  }
}

TEST(a_wide_set_assigned_to_itself_stays) {
  Wide s = set_of<Wide>({1, 7000});
  const Wide& same = s;
  s = same;
  CHECK((members(s) == Numbers{1, 7000}));
  s |= same;
  s &= same;
  CHECK((members(s) == Numbers{1, 7000}));
  s -= same;
  CHECK(s.none());
}

TEST(a_wide_set_that_was_moved_from_can_be_used) {
  Wide s = set_of<Wide>({8, 8000});
  const Wide other = std::move(s);
  s.clear();
  s.set(4);
  CHECK(members(s) == Numbers{4} && other.test(8000));
}

TEST(rows_of_wide_sets_keep_their_elements_when_they_grow) {
  std::vector<Wide> rows;
  for (unsigned k = 0; k < 200; ++k) {
    rows.resize(k + 1);
    rows[k].set(k * 40);
  }
  for (unsigned k = 0; k < 200; ++k)
    CHECK(members(rows[k]) == Numbers{k * 40});
}

TEST(the_lowest_absent_element_is_behind_full_words) {
  Wide s;
  for (unsigned k = 0; k < 128; ++k)
    s.set(k);
  CHECK_EQ(s.first_absent(), 128u);
  s.set(130);
  CHECK_EQ(s.first_absent(), 128u);
  s.reset(70);
  CHECK_EQ(s.first_absent(), 70u);
  Bits<1> full;
  for (unsigned k = 0; k < 64; ++k)
    full.set(k);
  CHECK_EQ(full.first_absent(), Bits<1>::capacity);
}

TEST(elements_come_lowest_first) {
  std::vector<unsigned> found;
  set_of<Wide>({8191, 0, 500, 63, 64}).each([&](unsigned i) { found.push_back(i); });
  CHECK((found == std::vector<unsigned>{0, 63, 64, 500, 8191}));
}

TEST(a_set_reaches_its_highest_element) {
  const auto reaches = [](auto s) {
    CHECK(!s.reaches(0));
    s.set(3);
    CHECK(s.reaches(0) && s.reaches(3) && !s.reaches(4) && !s.reaches(63));
    s.set(60);
    CHECK(s.reaches(4) && s.reaches(60) && !s.reaches(61));
  };
  reaches(Bits<1>{});
  reaches(Bits<2>{});
  reaches(Wide{});
  const Wide s = set_of<Wide>({1, 4000});
  CHECK(s.reaches(64) && s.reaches(4000) && !s.reaches(4001) && !s.reaches(8000));
}

TEST(some_asks_until_one_holds) {
  const Wide s = set_of<Wide>({1, 100, 900});
  unsigned asked = 0;
  CHECK(s.some([&](unsigned i) { return ++asked, i >= 100; }));
  CHECK_EQ(asked, 2u);
  CHECK(!s.some([](unsigned i) { return i == 2; }));
}
