// Relation plans, evaluated on matrices of bits of both widths, held against pairs of numbers.
#include "models/plan_evaluator.hpp"
#include "tests/check.hpp"
#include "tests/plans.hpp"

#include <functional>
#include <random>
#include <set>

using namespace fencepost;
using namespace fencepost::tests;

namespace {

using Pairs = std::set<std::pair<unsigned, unsigned>>;
using Numbers = std::set<unsigned>;

struct Primitives {
  unsigned n;
  Numbers reads, writes;
  Pairs po, rf;
};

Primitives random_primitives(unsigned n, std::mt19937& random) {
  Primitives p{n, {}, {}, {}, {}};
  for (unsigned i = 0; i < n; ++i)
    (random() % 2 ? p.reads : p.writes).insert(i);
  for (unsigned k = 0; k < 2 * n; ++k) {
    (random() % 2 ? p.po : p.rf).emplace(random() % n, random() % n);
  }
  return p;
}

template <unsigned W> Structure<W> structure_of(const Primitives& p) {
  Structure<W> s;
  s.reset(p.n);
  for (unsigned i = 0; i < p.n; ++i)
    s.events.set(i);
  for (const unsigned i : p.reads)
    s.set[base_set::reads].set(i);
  for (const unsigned i : p.writes)
    s.set[base_set::writes].set(i);
  for (const auto& [a, b] : p.po)
    s.relation[base_relation::po][b].set(a); // a row holds what comes before
  for (const auto& [a, b] : p.rf)
    s.relation[base_relation::rf][b].set(a);
  return s;
}

template <unsigned W> Pairs pairs_of(const std::vector<Bits<W>>& rows) {
  Pairs found;
  for (unsigned b = 0; b < rows.size(); ++b)
    rows[b].each([&](unsigned a) { found.emplace(a, b); });
  return found;
}

// What a plan that ends with `empty r` says r is, with rows of both widths and again after a change.
void expect(const Plan& plan, const std::function<Pairs(const Primitives&)>& right) {
  std::mt19937 random(7);
  PlanEvaluator<1> narrow(plan);
  PlanEvaluator<many> wide(plan), wider(plan);
  for (int round = 0; round < 12; ++round) {
    const Primitives small = random_primitives(3 + random() % 9, random);
    const auto in_one = structure_of<1>(small);
    auto in_many = structure_of<many>(small);
    CHECK(pairs_of<1>(PlanEvaluator<1>(plan).relation(in_one)) == right(small));
    in_many.version = static_cast<std::uint64_t>(round) + 1;
    CHECK(pairs_of<many>(wide.relation(in_many)) == right(small));
    auto kept = in_one;
    kept.version = static_cast<std::uint64_t>(round) + 1;
    CHECK(pairs_of<1>(narrow.relation(kept)) == right(small));
  }
  const Primitives large = random_primitives(150, random);
  CHECK(pairs_of<many>(wider.relation(structure_of<many>(large))) == right(large));
}

Pairs sequence(const Pairs& a, const Pairs& b) {
  Pairs found;
  for (const auto& [i, j] : a)
    for (auto at = b.lower_bound({j, 0}); at != b.end() && at->first == j; ++at)
      found.emplace(i, at->second);
  return found;
}

Pairs plus(Pairs a) {
  for (std::size_t before = 0; before != a.size();) {
    before = a.size();
    a.merge(sequence(a, a));
  }
  return a;
}

Pairs with_identity(Pairs a, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    a.emplace(i, i);
  return a;
}

template <class F> Pairs only(const Pairs& a, F&& wanted) {
  Pairs found;
  for (const auto& p : a)
    if (wanted(p)) found.insert(p);
  return found;
}

// The plan of one operation on po and rf.
Plan on_relations(PlanOp op, bool second) {
  PlanWriter w;
  const auto a = w.relation(base_relation::po), b = w.relation(base_relation::rf);
  w.check(Plan::CheckKind::Empty, w.of(op, a, second ? b : -1));
  return w.plan();
}

} // namespace

TEST(plans_unite_cut_and_subtract) {
  expect(on_relations(PlanOp::Union, true), [](const Primitives& p) {
    Pairs found = p.po;
    found.insert(p.rf.begin(), p.rf.end());
    return found;
  });
  expect(on_relations(PlanOp::Intersection, true),
         [](const Primitives& p) { return only(p.po, [&](const auto& pair) { return p.rf.contains(pair); }); });
  expect(on_relations(PlanOp::Difference, true),
         [](const Primitives& p) { return only(p.po, [&](const auto& pair) { return !p.rf.contains(pair); }); });
}

TEST(plans_compose) {
  expect(on_relations(PlanOp::Sequence, true), [](const Primitives& p) { return sequence(p.po, p.rf); });
}

TEST(plans_turn_relations_round) {
  expect(on_relations(PlanOp::Inverse, false), [](const Primitives& p) {
    Pairs found;
    for (const auto& [a, b] : p.po)
      found.emplace(b, a);
    return found;
  });
}

TEST(plans_close_relations) {
  expect(on_relations(PlanOp::Plus, false), [](const Primitives& p) { return plus(p.po); });
  expect(on_relations(PlanOp::Star, false), [](const Primitives& p) { return with_identity(plus(p.po), p.n); });
  expect(on_relations(PlanOp::Optional, false), [](const Primitives& p) { return with_identity(p.po, p.n); });
}

TEST(plans_complement) {
  expect(on_relations(PlanOp::Complement, false), [](const Primitives& p) {
    Pairs found;
    for (unsigned a = 0; a < p.n; ++a)
      for (unsigned b = 0; b < p.n; ++b)
        if (!p.po.contains({a, b})) found.emplace(a, b);
    return found;
  });
}

TEST(plans_make_products_and_identities_of_sets) {
  PlanWriter product, identity;
  const auto r = product.set(base_set::reads), w = product.set(base_set::writes);
  product.check(Plan::CheckKind::Empty, product.of(PlanOp::Product, r, w));
  expect(product.plan(), [](const Primitives& p) {
    Pairs found;
    for (const unsigned a : p.reads)
      for (const unsigned b : p.writes)
        found.emplace(a, b);
    return found;
  });
  identity.check(Plan::CheckKind::Empty, identity.of(PlanOp::Identity, identity.set(base_set::writes)));
  expect(identity.plan(), [](const Primitives& p) {
    Pairs found;
    for (const unsigned a : p.writes)
      found.emplace(a, a);
    return found;
  });
}

TEST(plans_restrict_both_ends) {
  PlanWriter from, to;
  from.check(Plan::CheckKind::Empty,
             from.of(PlanOp::From, from.set(base_set::reads), from.relation(base_relation::po)));
  to.check(Plan::CheckKind::Empty, to.of(PlanOp::To, to.relation(base_relation::po), to.set(base_set::reads)));
  // Which of the operands is the set is the interface to the compiler of plans.
  expect(to.plan(), [](const Primitives& p) {
    return only(p.po, [&](const auto& pair) { return p.reads.contains(pair.second); });
  });
  expect(from.plan(), [](const Primitives& p) {
    return only(p.po, [&](const auto& pair) { return p.reads.contains(pair.first); });
  });
}

TEST(plans_know_where_relations_begin_and_end) {
  for (const bool ends : {false, true}) {
    PlanWriter w;
    const auto found = w.of(ends ? PlanOp::Range : PlanOp::Domain, w.relation(base_relation::po));
    w.check(Plan::CheckKind::Empty, w.of(PlanOp::Identity, found));
    expect(w.plan(), [ends](const Primitives& p) {
      Pairs both;
      for (const auto& [a, b] : p.po)
        both.emplace(ends ? b : a, ends ? b : a);
      return both;
    });
  }
}

TEST(plans_combine_sets) {
  const auto of_sets = [](PlanOp op) {
    PlanWriter w;
    const auto r = w.set(base_set::reads), ends = w.of(PlanOp::Range, w.relation(base_relation::po));
    w.check(Plan::CheckKind::Empty, w.of(PlanOp::Identity, w.of(op, r, op == PlanOp::SetComplement ? -1 : ends)));
    return w.plan();
  };
  const auto right = [](auto wanted) {
    return [wanted](const Primitives& p) {
      Pairs found;
      for (unsigned i = 0; i < p.n; ++i) {
        bool ends = false;
        for (const auto& pair : p.po)
          ends |= pair.second == i;
        if (wanted(p.reads.contains(i), ends)) found.emplace(i, i);
      }
      return found;
    };
  };
  expect(of_sets(PlanOp::SetUnion), right([](bool a, bool b) { return a || b; }));
  expect(of_sets(PlanOp::SetIntersection), right([](bool a, bool b) { return a && b; }));
  expect(of_sets(PlanOp::SetDifference), right([](bool a, bool b) { return a && !b; }));
  expect(of_sets(PlanOp::SetComplement), right([](bool a, bool) { return !a; }));
}

TEST(a_loop_of_a_plan_is_a_least_fixpoint) {
  PlanWriter w; // let rec x = po | x;rf
  const auto po = w.relation(base_relation::po), rf = w.relation(base_relation::rf);
  const auto x = w.of(PlanOp::Variable);
  Plan plan = w.plan();
  const auto seq = plan.registers++, both = plan.registers++;
  plan.operations.push_back({PlanOp::Loop, -1, -1, -1});
  plan.operations.push_back({PlanOp::Sequence, seq, x, rf});
  plan.operations.push_back({PlanOp::Union, both, po, seq});
  plan.operations.push_back({PlanOp::Assign, -1, x, both});
  plan.operations.push_back({PlanOp::EndLoop, -1, 4, -1});
  plan.checks.push_back({Plan::CheckKind::Empty, false, false, false});
  plan.operations.push_back({PlanOp::Check, -1, 0, x});
  expect(plan, [](const Primitives& p) {
    Pairs found = p.po;
    for (std::size_t before = 0; before != found.size();) {
      before = found.size();
      found.merge(sequence(found, p.rf));
    }
    return found;
  });
}

TEST(checks_say_what_they_check) {
  const auto says = [](Plan::CheckKind kind, const Pairs& po, bool negated = false) {
    PlanWriter w;
    w.check(kind, w.relation(base_relation::po), negated);
    const Plan plan = w.plan();
    PlanEvaluator<1> evaluator(plan);
    const auto s = structure_of<1>({4, {}, {}, po, {}});
    return evaluator.consistent(s);
  };
  const Pairs ring{{0, 1}, {1, 2}, {2, 0}}, line{{0, 1}, {1, 2}}, self{{3, 3}};
  CHECK(!says(Plan::CheckKind::Acyclic, ring) && says(Plan::CheckKind::Acyclic, line));
  CHECK(!says(Plan::CheckKind::Acyclic, self) && says(Plan::CheckKind::Acyclic, ring, true));
  CHECK(says(Plan::CheckKind::Irreflexive, ring) && !says(Plan::CheckKind::Irreflexive, self));
  CHECK(says(Plan::CheckKind::Empty, {}) && !says(Plan::CheckKind::Empty, line));
  CHECK(says(Plan::CheckKind::Empty, line, true));
}

TEST(a_flag_names_a_pair_that_raises_it) {
  PlanWriter w;
  w.check(Plan::CheckKind::Empty, w.relation(base_relation::po), true, true);
  const Plan plan = w.plan();
  CHECK(plan.has_flags());
  PlanEvaluator<1> evaluator(plan);
  const auto s = structure_of<1>({4, {}, {}, {{2, 3}}, {}});
  CHECK(evaluator.consistent(s)); // a flag forbids nothing
  int raised = 0;
  evaluator.raised([&](std::int32_t check, unsigned first, unsigned second) {
    ++raised;
    CHECK_EQ(check, 0);
    CHECK_EQ(first, 2u);
    CHECK_EQ(second, 3u);
  });
  CHECK_EQ(raised, 1);
}

TEST(a_plan_remembers_no_execution_that_has_changed) {
  const Plan plan = sequential_consistency();
  PlanEvaluator<1> evaluator(plan);
  Structure<1> s;
  s.reset(2);
  s.events.set(0);
  s.events.set(1);
  s.relation[base_relation::po][0].set(1);
  CHECK(evaluator.consistent(s));
  s.relation[base_relation::rf][1].set(0);
  CHECK(!evaluator.consistent(s));
  s.relation[base_relation::rf][1].clear();
  CHECK(evaluator.consistent(s));
}

TEST(a_plan_that_does_not_fit_together_is_refused) {
  Plan open;
  open.operations.push_back({PlanOp::Loop, -1, -1, -1});
  CHECK_THROWS(PlanEvaluator<1>(open), BrokenContract);
  Plan closed;
  closed.operations.push_back({PlanOp::EndLoop, -1, 1, -1});
  CHECK_THROWS(PlanEvaluator<1>(closed), BrokenContract);
}
