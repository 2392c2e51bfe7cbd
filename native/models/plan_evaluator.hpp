// Evaluates a relation plan over bit matrices. The slow twin is the evaluator in models/cat/plan.py.
//
// One exploration asks about executions that differ little from one to the next, so nothing is computed twice:
//   by need     an operand is evaluated when something needs it, the cheaper one first; where that is empty and decides
//               (a;b, a & b), the other is left alone. A program without fences never computes `prop`.
//   by change   a register keeps its value, and remembers when it last changed. An operation whose operands did not
//               change since it was last evaluated is not evaluated; nor is a fixpoint whose inputs did not.
//   by row      a register knows which of its rows are not empty and which of them changed last. No loop looks at other
//               rows, and most operations compute no row again whose operands did not change.
// An event should therefore keep its number from one execution to the next. A row holds what comes *before* its event:
// so an event that is added after all others of its thread changes its own rows and hardly any other. The plan is
// turned round for that once, at the start: r;s becomes s;r, a domain a range.
#pragma once

#include "models/plan.hpp"
#include "vm/contract.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace fencepost {

template <unsigned W> class PlanEvaluator {
public:
  using Set = Bits<W>;
  using Relation = std::vector<Set>;

  explicit PlanEvaluator(const Plan& plan);

  // Whether every check that is not a flag holds. `s` must live until the next call. `look` is called now and then;
  // where it throws, the evaluator is of no more use.
  bool consistent(const Structure<W>& s, const std::function<void()>& look = nothing);

  // Calls f(check, first, second) for each flag that is raised, with a pair of events that raises it where the flag is
  // about a relation being empty, and 0, 0 elsewhere. pre: the last call of `consistent` said yes.
  template <class F> void raised(F&& f) {
    for (Step& step : steps_) {
      if (step.o.op != PlanOp::Check) continue;
      const Plan::Check& check = check_of(step);
      if (!check.flag || holds(step) == check.negated) continue;
      unsigned first = 0, second = 0;
      if (check.kind == Plan::CheckKind::Empty && cell(step.o.b).live.any()) {
        second = cell(step.o.b).live.first();
        first = cell(step.o.b).row[second].first();
      }
      f(step.o.a, first, second);
    }
  }

  // The relation that the last check is about, by rows of what comes before: for plans that define one relation.
  const Relation& relation(const Structure<W>& s);

private:
  // A register. A relation: its rows, and which of them are not empty. A set: `live`.
  struct Cell {
    Relation row;
    Set live;
    Set touched;                           // what changed with the last change: rows, or elements of a set
    std::uint64_t changed = 0, before = 0; // by the clock: the last change, and the one before it
    std::uint64_t asked = 0;               // in which round
    std::size_t step = 0;                  // what defines it
    int loop = -1;                         // the outermost loop that does
    bool fixed = false;                    // it depends neither on rf nor on co
    std::uint64_t checked = 0;             // when it was last known to be right, by the clock
    double weight = 1;                     // what it costs, roughly
  };
  struct Step {
    Plan::Operation o;
    int operands;            // how many of them are registers
    std::uint64_t evaluated; // by the clock
    bool held;               // a check: what it said then
  };
  struct Loop {
    std::size_t first, last; // its LOOP and its END_LOOP
    std::vector<std::int32_t> inputs, variables;
    bool reads_primitives = false;
    std::uint64_t evaluated = 0, asked = 0;
  };

  Cell& cell(std::int32_t r) {
    FP_ASSERT(r >= 0 && static_cast<std::size_t>(r) < cells_.size(), "a register of a plan should be there");
    return cells_[static_cast<std::size_t>(r)];
  }
  const Plan::Check& check_of(const Step& step) const {
    FP_ASSERT(static_cast<std::size_t>(step.o.a) < plan_.checks.size(), "a check of a plan should be there");
    return plan_.checks[static_cast<std::size_t>(step.o.a)];
  }
  void grow(Cell& c) const {
    if (c.row.size() < s_->n) c.row.resize(s_->n);
  }

  void begin(const Structure<W>& s) {
    FP_ASSERT(s.n <= Set::capacity, "the events of a structure should fit the rows");
    s_ = &s;
    ++round_;
    if (version_ == s.version) return;
    version_ = s.version;
    fixed_changed_ = ++clock_;
    if (events_ == s.events) return;
    events_ = s.events;
    events_changed_ = clock_;
  }

  // --- the plan ------------------------------------------------------------------------------------------------------

  static bool defines(PlanOp op) {
    return op != PlanOp::Assign && op != PlanOp::Loop && op != PlanOp::EndLoop && op != PlanOp::Check;
  }
  static bool is_primitive(PlanOp op) { return op == PlanOp::BaseSet || op == PlanOp::BaseRelation; }
  static bool is_variable(PlanOp op) { return op == PlanOp::Variable || op == PlanOp::SetVariable; }
  static bool uses_all_events(PlanOp op) {
    return op == PlanOp::AllEvents || op == PlanOp::SetComplement || op == PlanOp::Complement || op == PlanOp::Star ||
           op == PlanOp::Optional;
  }
  // How many of its operands are registers.
  static int arity(PlanOp op) {
    switch (op) {
    case PlanOp::BaseSet:
    case PlanOp::BaseRelation:
    case PlanOp::AllEvents:
    case PlanOp::EmptySet:
    case PlanOp::EmptyRelation:
    case PlanOp::SetVariable:
    case PlanOp::Variable:
    case PlanOp::Loop:
    case PlanOp::EndLoop:
    case PlanOp::Check:
      return 0;
    case PlanOp::SetComplement:
    case PlanOp::Domain:
    case PlanOp::Range:
    case PlanOp::Complement:
    case PlanOp::Inverse:
    case PlanOp::Plus:
    case PlanOp::Star:
    case PlanOp::Optional:
    case PlanOp::Identity:
      return 1;
    default:
      return 2;
    }
  }

  // The operation on inverses that gives the inverse of what this one gives.
  static Plan::Operation mirrored(Plan::Operation o) {
    switch (o.op) {
    case PlanOp::Domain:
      o.op = PlanOp::Range;
      return o;
    case PlanOp::Range:
      o.op = PlanOp::Domain;
      return o;
    case PlanOp::From:
    case PlanOp::To:
      o.op = o.op == PlanOp::From ? PlanOp::To : PlanOp::From;
      std::swap(o.a, o.b);
      return o;
    case PlanOp::Sequence:
    case PlanOp::Product:
      std::swap(o.a, o.b);
      return o;
    default:
      return o;
    }
  }

  void find_loops() {
    std::size_t depth = 0;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const Plan::Operation& o = steps_[k].o;
      if (o.op == PlanOp::Loop && depth++ == 0) loops_.push_back({k, k, {}, {}});
      FP_REQUIRE(o.op != PlanOp::EndLoop || depth > 0, "only a loop should end");
      if (o.op == PlanOp::EndLoop && --depth == 0) loops_.back().last = k;
      if (defines(o.op)) {
        cell(o.to).step = k;
        if (depth > 0) cell(o.to).loop = static_cast<int>(loops_.size()) - 1;
      } else if (o.op == PlanOp::Assign) {
        FP_REQUIRE(!loops_.empty(), "an assignment should stand in a loop");
        cell(o.a).loop = static_cast<int>(loops_.size()) - 1;
        if (cell(o.a).step < loops_.back().first) loops_.back().variables.push_back(o.a);
      }
    }
    FP_REQUIRE(depth == 0, "every loop of a plan should end");
    for (std::size_t l = 0; l < loops_.size(); ++l)
      find_inputs(loops_[l], static_cast<int>(l));
  }

  void find_inputs(Loop& loop, int number) {
    for (std::size_t k = loop.first; k < loop.last; ++k) {
      const Plan::Operation& o = steps_[k].o;
      loop.reads_primitives |= is_primitive(o.op);
      const int operands = arity(o.op);
      if (operands > 0 && cell(o.a).loop != number) loop.inputs.push_back(o.a);
      if (operands > 1 && cell(o.b).loop != number) loop.inputs.push_back(o.b);
    }
  }

  void weigh() {
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const Plan::Operation& o = steps_[k].o;
      if (!defines(o.op)) continue;
      const int operands = arity(o.op);
      const double own = o.op == PlanOp::Plus || o.op == PlanOp::Star || is_variable(o.op) ? 50 : 1;
      const bool varies = o.op == PlanOp::BaseRelation && (o.a == base_relation::rf || o.a == base_relation::co);
      cell(o.to).fixed =
          !varies && !is_variable(o.op) && (operands < 1 || cell(o.a).fixed) && (operands < 2 || cell(o.b).fixed);
      cell(o.to).weight = own + (operands > 0 ? cell(o.a).weight : 0) + (operands > 1 ? cell(o.b).weight : 0);
    }
  }

  // --- by need and by change -----------------------------------------------------------------------------------------

  void demand(std::int32_t r) {
    Cell& c = cell(r);
    FP_ASSERT(s_ != nullptr, "a plan should be evaluated on a structure");
    if (c.asked == round_ || (c.fixed && c.checked > fixed_changed_)) return;
    c.asked = round_;
    c.checked = ++clock_;
    if (c.loop >= 0) return run(loops_[static_cast<std::size_t>(c.loop)]);
    Step& step = steps_[c.step];
    if (step.operands == 1) demand(step.o.a);
    if (step.operands == 2 && !demand_both(step.o)) return clear(r);
    evaluate(step);
  }

  // Whether both operands are needed: false where the value is empty whatever the second one is.
  bool demand_both(const Plan::Operation& o) {
    const bool either = o.op == PlanOp::Sequence || o.op == PlanOp::Intersection || o.op == PlanOp::SetIntersection ||
                        o.op == PlanOp::From || o.op == PlanOp::To || o.op == PlanOp::Product;
    const bool first = o.op == PlanOp::Difference || o.op == PlanOp::SetDifference;
    const bool swap = either && cell(o.b).weight < cell(o.a).weight;
    demand(swap ? o.b : o.a);
    if ((either || first) && cell(swap ? o.b : o.a).live.none()) return false;
    demand(swap ? o.a : o.b);
    return true;
  }

  bool stale(const Step& step) {
    const Plan::Operation& o = step.o;
    if (is_primitive(o.op) || step.evaluated == 0) return true;
    if (step.operands > 0 && cell(o.a).changed > step.evaluated) return true;
    if (step.operands > 1 && cell(o.b).changed > step.evaluated) return true;
    return uses_all_events(o.op) && events_changed_ > step.evaluated;
  }

  // pre: its operands are what they should be.
  void evaluate(Step& step) {
    if (!stale(step)) return;
    (*look_)();
    const std::uint64_t last = step.evaluated;
    step.evaluated = ++clock_;
    compute(step.o, last);
  }

  // What of a register changed since some time; false where that is not known any more.
  static bool news(const Cell& c, std::uint64_t since, Set& found) {
    if (c.changed <= since) return true;
    found |= c.touched;
    return c.before <= since;
  }

  // The rows of an operation's value that may have changed since it was last evaluated.
  Set touched(const Plan::Operation& o, std::uint64_t last) {
    const Set everything = events_ | cell(o.to).live;
    if (last == 0) return everything;
    if (uses_all_events(o.op) && o.op != PlanOp::Star && events_changed_ > last) return everything;
    const Cell &a = cell(o.a), &b = cell(std::max(o.b, 0)); // an operation with one operand has no b
    Set of_a, of_b;
    switch (o.op) {
    case PlanOp::Union:
    case PlanOp::Intersection:
    case PlanOp::Difference:
    case PlanOp::From:
      return news(a, last, of_a) && news(b, last, of_a) ? of_a : everything;
    case PlanOp::Complement:
    case PlanOp::Optional:
    case PlanOp::Identity:
      return news(a, last, of_a) ? of_a : everything;
    case PlanOp::To:
      return news(a, last, of_a) && b.changed <= last ? of_a : everything;
    case PlanOp::Sequence:
      if (!news(a, last, of_a) || !news(b, last, of_b)) return everything;
      if (of_b.any())
        (a.live - of_a).each([&](unsigned i) {
          if (a.row[i].meets(of_b)) of_a.set(i);
        });
      return of_a;
    case PlanOp::Plus:
    case PlanOp::Star: {
      // Who reached no row that changed reaches what it reached.
      if (!news(a, last, of_a)) return everything;
      const Set& was = cell(o.to).live;
      was.each([&](unsigned i) {
        if (cell(o.to).row[i].meets(of_a)) of_b.set(i);
      });
      if (o.op == PlanOp::Star) of_b |= (events_ | was) - (events_ & was);
      return of_a | of_b;
    }
    default:
      return everything;
    }
  }

  // A least fixpoint: its variables start empty and its operations run until no assignment changes anything.
  void run(Loop& loop) {
    if (loop.asked == round_) return;
    loop.asked = round_;
    bool stale = loop.reads_primitives || loop.evaluated == 0 || events_changed_ > loop.evaluated;
    for (const std::int32_t r : loop.inputs) {
      demand(r);
      stale |= cell(r).changed > loop.evaluated;
    }
    if (!stale) return;
    for (const std::int32_t v : loop.variables)
      clear(v);
    std::vector<char> changed; // per open loop
    for (std::size_t k = loop.first; k <= loop.last; ++k) {
      const Plan::Operation& o = steps_[k].o;
      if (o.op == PlanOp::Loop) {
        changed.push_back(0);
      } else if (o.op == PlanOp::EndLoop) {
        if (changed.back()) {
          changed.back() = 0;
          k -= static_cast<std::size_t>(o.a);
        } else {
          changed.pop_back();
        }
      } else if (o.op == PlanOp::Assign) {
        if (assign(o)) changed.back() = 1;
      } else if (is_variable(o.op)) {
        clear(o.to);
      } else {
        evaluate(steps_[k]);
      }
    }
    loop.evaluated = ++clock_;
  }

  bool assign(const Plan::Operation& o) {
    const std::uint64_t before = ++clock_;
    if (steps_[cell(o.a).step].o.op == PlanOp::SetVariable)
      write_set(o.a, cell(o.b).live);
    else
      write(o.a, cell(o.a).live | cell(o.b).live, cell(o.b).live, [b = rows(o.b)](unsigned i) { return b[i]; });
    return cell(o.a).changed == before;
  }

  bool holds(Step& step);

  // --- by row --------------------------------------------------------------------------------------------------------

  Set* rows(std::int32_t r) {
    grow(cell(r));
    return cell(r).row.data();
  }

  // Gives a relation its new rows, where they may be new: row(i) for those of `some`, nothing elsewhere.
  template <class F> void write(std::int32_t to, const Set& touched, const Set& some, F&& row) {
    Set* const out = rows(to);
    Cell& c = cell(to);
    Set live = c.live, changed;
    (touched & (c.live - some)).each([&](unsigned i) {
      out[i].clear();
      live.reset(i);
      changed.set(i);
    });
    (touched & some).each([&](unsigned i) {
      const Set value = row(i);
      if (value == out[i]) return;
      out[i] = value;
      changed.set(i);
      value.any() ? live.set(i) : live.reset(i);
    });
    c.live = live;
    if (changed.any()) note(c, changed);
  }

  void write_set(std::int32_t to, const Set& value) {
    Cell& c = cell(to);
    if (c.live == value) return;
    const Set changed = (c.live | value) - (c.live & value);
    c.live = value;
    note(c, changed);
  }

  void clear(std::int32_t to) {
    Cell& c = cell(to);
    if (c.live.none()) return;
    if (!c.row.empty()) c.live.each([&](unsigned i) { c.row[i].clear(); });
    const Set changed = c.live;
    c.live.clear();
    ++clock_;
    note(c, changed);
  }

  void note(Cell& c, const Set& changed) {
    FP_ASSERT(c.changed <= clock_, "the clock should not go back");
    c.touched = changed;
    c.before = c.changed;
    c.changed = clock_;
  }

  static bool holds(Plan::CheckKind kind, const Cell& c) {
    switch (kind) {
    case Plan::CheckKind::EmptySet:
    case Plan::CheckKind::Empty:
      return c.live.none();
    case Plan::CheckKind::Acyclic:
      return acyclic(c);
    case Plan::CheckKind::Irreflexive:
      return !c.live.some([&](unsigned i) { return c.row[i].test(i); });
    }
    return true;
  }

  // Takes away events that nothing comes before until none is left or all that is left has something before it. Most
  // relations go from lower numbers to higher ones.
  static bool acyclic(const Cell& c) {
    Set left = c.live;
    for (bool changed = true; changed && left.any();) {
      changed = false;
      left.each([&](unsigned i) {
        if (!c.row[i].meets(left)) left.reset(i), changed = true;
      });
    }
    return left.none();
  }

  static Set image(const Set& of, const Set* r) {
    Set found;
    of.each([&](unsigned j) { found |= r[j]; });
    return found;
  }

  // Transitive closure of some rows of r, where the others are closed. A pass from the lowest number up is enough where
  // all rows hold lower numbers, and the second or third pass where few do not; Warshall's algorithm bounds the rest.
  static void close(Set* r, const Set& some) {
    for (int pass = 0; pass < 3; ++pass) {
      bool downwards = true, changed = false;
      some.each([&](unsigned i) {
        const Set direct = r[i], further = direct & some;
        downwards &= !further.reaches(i);
        const Set value = direct | image(further, r);
        changed |= !(value == direct);
        r[i] = value;
      });
      if (downwards || !changed) return;
    }
    some.each([&](unsigned k) {
      const Set through = r[k];
      some.each([&](unsigned i) {
        if (r[i].test(k)) r[i] |= through;
      });
    });
  }

  void compute_closure(const Plan::Operation& o, const Set& news) {
    const Set some = cell(o.a).live & news, closed = cell(o.a).live - news;
    const Set* const a = rows(o.a);
    const Set* const old = rows(o.to);
    Relation& out = scratch();
    some.each([&](unsigned i) { out[i] = a[i] | image(a[i] & closed, old); });
    close(out.data(), some);
    if (o.op == PlanOp::Plus) return write(o.to, news, some, [&](unsigned i) { return out[i]; });
    write(o.to, news, events_, [&](unsigned i) {
      Set row = some.test(i) ? out[i] : Set{};
      row.set(i);
      return row;
    });
  }

  // pre: its value was right at the time `last`, or is empty (0: never).
  void compute(const Plan::Operation& o, std::uint64_t last) {
    switch (o.op) {
    case PlanOp::BaseSet:
      return write_set(o.to, s_->set[static_cast<std::size_t>(o.a)]);
    case PlanOp::BaseRelation:
      return write(o.to, events_ | cell(o.to).live, events_,
                   [r = s_->relation[static_cast<std::size_t>(o.a)].data()](unsigned i) { return r[i]; });
    case PlanOp::AllEvents:
      return write_set(o.to, events_);
    case PlanOp::SetUnion:
      return write_set(o.to, cell(o.a).live | cell(o.b).live);
    case PlanOp::SetIntersection:
      return write_set(o.to, cell(o.a).live & cell(o.b).live);
    case PlanOp::SetDifference:
      return write_set(o.to, cell(o.a).live - cell(o.b).live);
    case PlanOp::SetComplement:
      return write_set(o.to, events_ - cell(o.a).live);
    case PlanOp::Domain:
      return write_set(o.to, cell(o.a).live);
    case PlanOp::Range:
      return write_set(o.to, image(cell(o.a).live, rows(o.a)));
    case PlanOp::EmptySet:
    case PlanOp::EmptyRelation:
    case PlanOp::SetVariable:
    case PlanOp::Variable:
      return;
    default:
      compute_relation(o, touched(o, last));
    }
  }

  void compute_relation(const Plan::Operation& o, const Set& news) {
    const bool binary = arity(o.op) == 2, of_sets = o.op == PlanOp::Product || o.op == PlanOp::Identity;
    const Set* const a = of_sets || o.op == PlanOp::From ? nullptr : rows(o.a);
    const Set* const b = of_sets || o.op == PlanOp::To || !binary ? nullptr : rows(o.b);
    const Set in_a = cell(o.a).live, in_b = binary ? cell(o.b).live : Set{};
    const auto with_itself = [](Set row, unsigned i) {
      row.set(i);
      return row;
    };
    switch (o.op) {
    case PlanOp::Union:
      return write(o.to, news, in_a | in_b, [=](unsigned i) { return a[i] | b[i]; });
    case PlanOp::Intersection:
      return write(o.to, news, in_a & in_b, [=](unsigned i) { return a[i] & b[i]; });
    case PlanOp::Difference:
      return write(o.to, news, in_a, [=](unsigned i) { return a[i] - b[i]; });
    case PlanOp::Complement:
      return write(o.to, news, events_, [=, all = events_](unsigned i) { return all - a[i]; });
    case PlanOp::Sequence:
      return write(o.to, news, in_a, [=](unsigned i) { return image(a[i] & in_b, b); });
    case PlanOp::Inverse: {
      Relation& out = scratch();
      Set live;
      in_a.each([&](unsigned i) {
        a[i].each([&](unsigned j) {
          if (!live.test(j)) out[j].clear(), live.set(j);
          out[j].set(i);
        });
      });
      return write(o.to, news, live, [&](unsigned j) { return out[j]; });
    }
    case PlanOp::Optional:
      return write(o.to, news, events_, [=](unsigned i) { return with_itself(a[i], i); });
    case PlanOp::Plus:
    case PlanOp::Star:
      return compute_closure(o, news);
    case PlanOp::Product:
      return write(o.to, news, in_b.any() ? in_a : Set{}, [=](unsigned) { return in_b; });
    case PlanOp::Identity:
      return write(o.to, news, in_a, [=](unsigned i) { return with_itself({}, i); });
    case PlanOp::From:
      return write(o.to, news, in_a & in_b, [=](unsigned i) { return b[i]; });
    case PlanOp::To:
      return write(o.to, news, in_a, [=](unsigned i) { return a[i] & in_b; });
    default:
      FP_REQUIRE(false, "every operation should have a meaning");
    }
  }

  Relation& scratch() {
    if (scratch_.size() < s_->n) scratch_.resize(s_->n);
    return scratch_;
  }

  inline static const std::function<void()> nothing = [] {};
  const std::function<void()>* look_ = &nothing; // of the call that runs

  const Plan& plan_;
  const Structure<W>* s_ = nullptr;
  Set events_;
  std::uint64_t clock_ = 0, round_ = 0, events_changed_ = 0, fixed_changed_ = 0, version_ = 0;
  std::vector<Cell> cells_;
  std::vector<Step> steps_;
  std::vector<Loop> loops_;
  Relation scratch_;
};

// The ways in are not inline, so that the files plan_evaluator*.cpp hold all that they need for every width.

template <unsigned W>
PlanEvaluator<W>::PlanEvaluator(const Plan& plan) : plan_(plan), cells_(static_cast<std::size_t>(plan.registers)) {
  steps_.reserve(plan.operations.size());
  for (const Plan::Operation& o : plan.operations)
    steps_.push_back({mirrored(o), arity(o.op), 0, false});
  find_loops();
  weigh();
}

template <unsigned W> bool PlanEvaluator<W>::consistent(const Structure<W>& s, const std::function<void()>& look) {
  begin(s);
  look_ = &look;
  const bool fits = std::all_of(steps_.begin(), steps_.end(), [&](Step& step) {
    return step.o.op != PlanOp::Check || check_of(step).flag || holds(step) != check_of(step).negated;
  });
  look_ = &nothing;
  return fits;
}

template <unsigned W> const typename PlanEvaluator<W>::Relation& PlanEvaluator<W>::relation(const Structure<W>& s) {
  begin(s);
  FP_REQUIRE(!plan_.operations.empty() && plan_.operations.back().op == PlanOp::Check,
             "a plan should end with its check");
  Cell& found = cell(plan_.operations.back().b);
  demand(plan_.operations.back().b);
  grow(found);
  return found.row;
}

template <unsigned W> bool PlanEvaluator<W>::holds(Step& step) {
  demand(step.o.b);
  if (step.evaluated != 0 && cell(step.o.b).changed <= step.evaluated) return step.held;
  step.evaluated = ++clock_;
  return step.held = holds(check_of(step).kind, cell(step.o.b));
}

extern template class PlanEvaluator<1>;
extern template class PlanEvaluator<2>;
extern template class PlanEvaluator<8>;
extern template class PlanEvaluator<many>;

} // namespace fencepost
