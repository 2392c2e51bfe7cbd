#include "explore/teller.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace fencepost {

namespace {

// The hash of one execution: each event with what it reads and the write before it in coherence, where that counts.
Digest digest_of(const AnyGraph& g, Ending ending, bool coherence) {
  const auto name = [&](Id e) -> std::uint64_t {
    if (e < 0) return 1;
    const AnyGraph::Event v = g[e];
    return (std::uint64_t{v.thread} + 1) << 32 | v.index;
  };
  Digest sum;
  for (const Id e : g.order()) {
    const AnyGraph::Event v = g[e];
    if (!v.shown) continue;
    FP_ASSERT(!v.read || v.reads_from != none, "a read of an execution should have a source");
    detail::DoubleHash h(name(e));
    h.add(static_cast<std::uint64_t>(v.kind));
    h.add(v.value);
    h.add(v.action().address);
    if (v.read) h.add(name(v.reads_from));
    if (v.write && coherence) h.add(name(v.co_before));
    sum += h.value();
  }
  detail::DoubleHash whole(static_cast<std::uint64_t>(ending));
  whole.add(sum.low);
  whole.add(sum.high);
  return whole.value();
}

} // namespace

Teller::Teller(LocalStates& states, const ExploreOptions& options, Results& results)
    : has_free(detail::uses(states, [](const Instruction& i) { return i.opcode == Opcode::Free; })),
      has_heap(detail::uses(states, [](const Instruction& i) { return i.opcode == Opcode::Malloc; })),
      has_shared_stack(detail::uses(
          states,
          [](const Instruction& i) { return i.opcode == Opcode::Alloca && !(i.flags & flag::private_memory); })),
      states_(states), options_(options), results_(results) {}

void Teller::add_to_digest(const AnyGraph& g, Ending ending) {
  results_.digest += digest_of(g, ending, !without_coherence(options_.model));
}

// Whether a read only copies what it finds.
bool Teller::copies(const LocalState& at) const {
  const Instruction& i = states_.machine().program().code[at.state.pc];
  return i.opcode == Opcode::Load && (i.flags & flag::copies);
}

// Where assumes failed. pre: the graph is blocked.
void Teller::note_assumed(const AnyGraph& g) {
  for (std::size_t t = 0; t < g.threads(); ++t)
    if (const LocalState* now = g.thread(t).now; now && now->action.assumed())
      results_.assumed.insert(now->action.position);
}

// To spin in a loop for ever is a violation of liveness, told with the loop; to wait for a lock, a thread and the like
// is a deadlock, told with a thread that waits for something else than a thread that waits, if there is one.
void Teller::report_stalled(const AnyGraph& g, const std::vector<Id>& blame) {
  std::int32_t waits = -1;
  bool joins = true;
  for (std::size_t t = 0; t < g.threads(); ++t) {
    const LocalState* now = g.thread(t).now;
    if (!now || now->action.kind == ActionKind::End) continue;
    const Action& a = now->action;
    if (a.spin)
      return report(g, ErrorKind::Liveness, "the loop spins for ever: nobody is left to end it", a.loop,
                    static_cast<std::int32_t>(t), blame);
    if (waits >= 0 && (!joins || a.kind == ActionKind::Join)) continue;
    waits = static_cast<std::int32_t>(t);
    joins = a.kind == ActionKind::Join;
  }
  report(g, ErrorKind::Deadlock, "threads wait for what nobody will do",
         g.thread(static_cast<std::size_t>(waits)).now->action.position, waits, blame);
}

void Teller::count_complete(const AnyGraph& g) {
  if (is_duplicate(g)) return;
  if (options_.digest) add_to_digest(g, Ending::Complete);
  ++results_.executions;
  if (!states_.machine().program().observations.empty()) {
    const auto [known, fresh] = results_.outcomes.try_emplace(outcome(g), 0);
    ++known->second;
    if (fresh && options_.keep_outcomes) results_.kept.push_back(export_graph(g));
  }
  if (results_.kept.size() < options_.keep_executions) results_.kept.push_back(export_graph(g));
}

// Without a coherence order a thread may wait where nothing says for how long. pre: nobody moves.
void Teller::report_unsettled(const AnyGraph& g) {
  std::int32_t waits = -1;
  for (std::uint32_t t = 0; t < g.threads(); ++t) {
    if (!g.thread(t).now) continue;
    const Action& a = g.thread(t).now->action;
    if (a.assumed() || g.thread(t).stopped || (a.kind == ActionKind::End && a.process)) return;
    if (waits < 0 && a.kind != ActionKind::End && a.kind != ActionKind::Join) waits = static_cast<std::int32_t>(t);
  }
  if (!options_.deadlocks || waits < 0) return;
  report(g, ErrorKind::LeftOut,
         "a thread waits here, and without an order of writes nothing says whether for ever: a model with a coherence "
         "order does",
         g.thread(static_cast<std::size_t>(waits)).now->action.position, waits, {});
}

// A spin iteration that adds something and takes it back can be left out like one without effect if no other thread
// made use of what was there in between: then our knowledge ends here. It does not count where the reader is itself in
// an iteration that is left out and writes nothing, still waits, or only adds to what it read.
// Told of every such loop in the graph: one may go round because of another.
void Teller::report_undone(const AnyGraph& g) {
  const auto undone = [&](std::uint32_t t) {
    const auto* now = g.thread(t).now;
    return now && now->action.kind == ActionKind::Block && now->action.undone && !now->action.attempt;
  };
  bool used = false;
  for (std::uint32_t t = 0; t < g.threads() && !used; ++t) {
    if (!undone(t)) continue;
    std::vector<Id> mine; // its writes in the iteration, newest first
    const std::vector<Id> events = g.order_of(t);
    for (std::size_t k = events.size(); k > g.thread(t).now->action.value; --k)
      if (events[k - 1] != none && g[events[k - 1]].shown && g[events[k - 1]].write) mine.push_back(events[k - 1]);
    used = std::any_of(mine.begin(), mine.end(), [&](Id w) { return watched(g, w, mine); });
  }
  for (std::uint32_t t = 0; t < g.threads() && used; ++t)
    if (undone(t))
      report(g, ErrorKind::LeftOut,
             "another thread uses what an iteration of the loop adds and takes back: what comes after such an "
             "iteration is not explored (--no-spin-detection explores it)",
             g.thread(t).now->action.loop, static_cast<std::int32_t>(t), {});
}

// Whether another thread uses a value that is there between w and the next write among `mine`. One that writes there
// does, unless it adds: sums come out the same in every order. One that stops in an iteration that writes does as well:
// others may see what it wrote once this loop is over, and there is no graph of that.
bool Teller::watched(const AnyGraph& g, Id w, const std::vector<Id>& mine) const {
  const auto of_mine = [&](Id e) { return std::find(mine.begin(), mine.end(), e) != mine.end(); };
  const auto l = g[w].location;
  const Id newest = *std::find_if(mine.begin(), mine.end(), [&](Id e) { return g[e].location == l; });
  if (newest == w) return false;
  const auto uses = [&](Id d, Id v) {
    const AnyGraph::Event u = g[d];
    if (!u.shown || !u.read || u.reads_from != v || u.thread == g[w].thread) return false;
    const Action& now = g.thread(u.thread).now->action;
    if (now.kind == ActionKind::Block && now.spin && !now.undone && u.index >= now.value) return false;
    const Instruction& i = states_.machine().program().code[u.at->state.pc];
    return !(adds(i) && i.dst < 0);
  };
  for (Id v = w; v != none && (v == w || !of_mine(v)); v = g[v].co_after) {
    if (v != w && !adds(states_.machine().program().code[g[v].at->state.pc])) return true;
    if (std::any_of(g.order().begin(), g.order().end(), [&](Id d) { return uses(d, v); })) return true;
  }
  return false;
}

void Teller::report(const AnyGraph& g, ErrorKind kind, const std::string& message, std::uint32_t position,
                    std::int32_t thread, const std::vector<Id>& blame) {
  if (!detail::is_bound(kind) && !options_.keep_going) failed_ = true;
  if (kind == ErrorKind::MixedSize && thread >= 0) ask_for_cuts(*g.thread(static_cast<std::size_t>(thread)).now);
  const std::size_t before = states_.prologue().steps().size();
  const bool every = !detail::is_bound(kind) && results_.findings.size() < options_.keep_errors;
  results_.every_error |= every;
  Finding* known = nullptr;
  for (Finding& f : results_.findings)
    if (!every && f.kind == kind && f.position == position) known = &f;
  if (known != nullptr) {
    ++known->count;
    if (detail::is_bound(kind) || before + g.order().size() >= known->execution.events.size()) return;
  }
  std::vector<Id> numbering;
  Finding f;
  f.kind = kind;
  f.message = message;
  f.position = position;
  f.thread = thread;
  f.execution = export_graph(g, &numbering);
  for (const Id e : blame) {
    const auto at = std::find(numbering.begin(), numbering.end(), e);
    if (at != numbering.end())
      f.events.push_back(static_cast<std::int32_t>(at - numbering.begin() + static_cast<std::ptrdiff_t>(before)));
  }
  if (known == nullptr) {
    results_.findings.push_back(std::move(f));
    return;
  }
  f.count = known->count;
  *known = std::move(f);
}

// The exploration ends here: it is to begin again with plain accesses cut into pieces.
void Teller::ask_for_cuts(const LocalState& now) {
  if (!now.mixed) return;
  const auto found = states_.locations().cuts(now.action.address, now.action.size);
  results_.cuts.insert(results_.cuts.end(), found.begin(), found.end());
  failed_ = true;
}

void Teller::leaks(const AnyGraph& g) {
  for (std::size_t t = 0; t < g.threads(); ++t) {
    if (!g.thread(t).now) continue;
    for (const Allocation& memory : g.thread(t).now->state.allocations) {
      if (!memory.heap || states_.prologue().freed(memory.address)) continue;
      const bool freed = std::any_of(g.order().begin(), g.order().end(), [&](Id e) {
        return g[e].kind == ActionKind::Free && g[e].at->action.address == memory.address;
      });
      if (!freed)
        report(g, ErrorKind::Leak, "memory is never freed", memory.position, static_cast<std::int32_t>(t), {});
    }
  }
}

std::vector<std::uint64_t> Teller::outcome(const AnyGraph& g) {
  std::vector<std::uint64_t> values;
  for (const Observation& o : states_.machine().program().observations) {
    if (!o.memory) {
      values.push_back(Machine::first_register(g.thread(o.where).now->state, o.what));
      continue;
    }
    values.push_back(final_memory(g, o.where, o.what));
  }
  return values;
}

// What `size` bytes of memory hold at the end. Accesses may have been to parts of them, or to more.
std::uint64_t Teller::final_memory(const AnyGraph& g, std::uint64_t address, unsigned size) {
  const Locations& places = states_.locations();
  std::uint64_t value = states_.prologue().value(states_.machine().program(), address, size);
  for (Location l = 0; l < std::min<std::size_t>(places.count(), g.locations()); ++l) {
    const std::uint64_t first = std::max(address, places.address(l));
    const std::uint64_t end = std::min(address + size, places.address(l) + places.size(l));
    if (first >= end || g.first(l) == none) continue;
    const std::uint64_t mask = end - first == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * (end - first)) - 1;
    const std::uint64_t part =
        g[g.final_write(l, !without_coherence(options_.model))].value >> 8 * (first - places.address(l)) & mask;
    const std::uint64_t shift = 8 * (first - address);
    value = (value & ~(mask << shift)) | part << shift;
  }
  return value;
}

Execution Teller::export_graph(const AnyGraph& g, std::vector<Id>* numbering) {
  // Program-order indices count the events that are shown; those of the machine also count writes that never happened.
  std::vector<std::vector<std::int32_t>> index(g.threads());
  std::vector<std::vector<Id>> order(g.threads());
  std::vector<std::int32_t> index_of(g.numbers(), -1);
  for (std::uint32_t t = 0; t < g.threads(); ++t) {
    std::int32_t next = 0;
    order[t] = g.order_of(t);
    for (const Id e : order[t]) {
      index[t].push_back(e != none && g[e].shown ? next++ : -1);
      if (e != none) index_of[static_cast<std::size_t>(e)] = index[t].back();
    }
  }
  std::vector<Id> ids;
  std::vector<std::int32_t> numbers(g.numbers(), -1);
  for (const Id e : g.order())
    if (g[e].shown) {
      numbers[static_cast<std::size_t>(e)] = static_cast<std::int32_t>(ids.size());
      ids.push_back(e);
    }
  const auto number = [&](Id e) { return e < 0 ? -1 : numbers[static_cast<std::size_t>(e)]; };
  DependencyTable& table = states_.machine().dependencies();
  Execution x;
  for (const Id e : ids) {
    const AnyGraph::Event v = g[e];
    const Action& a = v.at->action;
    const auto deps = [&](DepSet set) {
      std::vector<std::uint32_t> found;
      for (const std::uint32_t d : table.elements(set)) {
        if (d & success_dependency && !options_.success_dependencies) continue;
        const std::size_t slot = slot_of(d);
        if (const Id from = slot < order[v.thread].size() ? order[v.thread][slot] : none;
            d & success_dependency && (from == none || !g[from].write))
          continue; // a choice
        if (slot < index[v.thread].size() && index[v.thread][slot] >= 0)
          if (const bool picks = table.only_picks(set, d); picks || !(d & pick_dependency))
            found.push_back(static_cast<std::uint32_t>(index[v.thread][slot]) | (picks ? pick_dependency : 0));
      }
      return found;
    };
    x.events.push_back({static_cast<std::int32_t>(v.thread), index_of[static_cast<std::size_t>(e)], v.kind, v.mode,
                        a.fence, g.updates(e), a.part == Part::Exclusive || a.conditional >= 0, a.noreturn, a.size,
                        a.address, v.value, a.position, number(v.reads_from), number(g.joined(e)), deps(a.address_deps),
                        deps(a.data_deps), deps(a.control_deps)});
  }
  for (Location l = 0; l < g.locations() && !without_coherence(options_.model); ++l) {
    std::vector<std::int32_t> writes;
    for (Id w = g.first(l); w != none; w = g[w].co_after)
      writes.push_back(number(w));
    if (!writes.empty()) x.coherence.emplace_back(states_.locations().address(l), std::move(writes));
  }
  bool ended = true, process = false;
  for (std::size_t t = 0; t < g.threads(); ++t) {
    x.spawned_by.push_back(number(g.thread(t).spawned_by));
    const LocalState* now = g.thread(t).now;
    process |= now && now->action.process;
    if (!now || now->action.kind == ActionKind::End) continue;
    ended = false;
    x.stuck.push_back({static_cast<std::uint32_t>(t), now->action.position, now->action.kind});
  }
  if (ended || process) x.outcome = outcome(g);
  prepend(x);
  if (numbering) *numbering = std::move(ids);
  return x;
}

// Puts what the first thread did before there were others in front, as if it had been explored.
void Teller::prepend(Execution& x) {
  const Prologue& prologue = states_.prologue();
  const auto shift = static_cast<std::int32_t>(prologue.steps().size());
  if (shift == 0) return;
  const auto moved = [&](std::int32_t& number) {
    if (number >= 0) number += shift;
  };
  for (auto& e : x.events) {
    moved(e.reads_from);
    moved(e.joined);
    if (e.thread == 0) e.index += shift;
    if (e.kind != ActionKind::Read || e.reads_from >= 0) continue;
    e.reads_from = std::max(prologue.writer(e.address, e.size), Prologue::untouched);
  }
  for (auto& spawn : x.spawned_by)
    moved(spawn);
  std::map<std::uint64_t, std::vector<std::int32_t>> coherence;
  std::vector<Execution::Event> before;
  for (const auto& s : prologue.steps()) {
    const auto number = static_cast<std::int32_t>(before.size());
    if (s.kind == ActionKind::Write) coherence[s.address].push_back(number);
    before.push_back({0,
                      number,
                      s.kind,
                      s.mode,
                      s.fence,
                      s.rmw,
                      false,
                      s.noreturn,
                      s.size,
                      s.address,
                      s.value,
                      s.position,
                      std::max(s.reads_from, Prologue::untouched),
                      -1,
                      {},
                      {},
                      {}});
  }
  for (auto& [address, writes] : x.coherence)
    for (const std::int32_t w : writes)
      coherence[address].push_back(w + shift);
  x.coherence.assign(coherence.begin(), coherence.end());
  x.events.insert(x.events.begin(), std::make_move_iterator(before.begin()), std::make_move_iterator(before.end()));
  results_.in_parts |= overlap(x);
}

// Whether some accesses share bytes and are not to the same ones.
bool Teller::overlap(const Execution& x) {
  std::set<std::pair<std::uint64_t, std::uint8_t>> places;
  for (const auto& e : x.events)
    if (e.kind == ActionKind::Read || e.kind == ActionKind::Write) places.emplace(e.address, e.size);
  for (auto p = places.begin(); p != places.end(); ++p)
    if (const auto next = std::next(p); next != places.end() && next->first < p->first + p->second) return true;
  return false;
}

// Equal for equal graphs, however their events are numbered.
std::uint64_t Teller::fingerprint(const AnyGraph& g) const {
  const auto name = [&](Id e) { return e < 0 ? 7 : detail::mix(g[e].thread + 1, g[e].index + 1); };
  std::uint64_t sum = 0;
  for (const Id e : g.order()) {
    const AnyGraph::Event v = g[e];
    if (!v.shown) continue;
    std::uint64_t h = detail::mix(name(e), static_cast<std::uint64_t>(v.kind));
    h = detail::mix(detail::mix(h, v.value), v.at->action.address);
    if (v.read) h = detail::mix(h, name(v.reads_from));
    if (v.write && !without_coherence(options_.model)) h = detail::mix(h, name(v.co_before) ^ 0x5555);
    sum += detail::mix(h, 99);
  }
  return sum;
}

} // namespace fencepost
