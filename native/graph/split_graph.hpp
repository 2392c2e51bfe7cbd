// An execution graph in which a write is two events: its data (address and value, which its own thread may read) and
// its commit (its place in coherence, from where on others may read it). Events come out of program order: one may be
// there while po-earlier ones are missing. Plain data; exploring an alternative starts with a copy.
#pragma once

#include "graph/coherence.hpp"

#include <algorithm>

namespace fencepost {

// What an event is besides a whole one: the commit of a write, or whether a store-conditional succeeds. Of a
// compare-exchange, too, where a later read of its thread may see what it wrote before it has read.
enum class Half : std::uint8_t { Whole, Commit, Outcome };

// Whether an event has its canonical choice, given what was added before it.
enum class Chosen : std::uint8_t { Unknown, Canonical, Otherwise };

struct SplitEvent {
  LocalState* at = nullptr;                      // the thread at this event
  std::uint64_t value = 0;                       // Outcome: 0 or 1
  std::uint32_t thread = 0, slot = 0, stamp = 0; // slot: its index in program order, the same for all parts of a write
  Location location = no_location;
  Id reads_from = none, co_before = none, co_after = none;
  Id pair = none;    // write of a read-modify-write or of an exclusive pair: its read, where that is there
  Id commit = none;  // write: its commit, where that is there
  Id outcome = none; // write of a store-conditional that may fail, of a compare-exchange foreseen: its outcome
  Id write = none;   // Commit: the write
  ActionKind kind = ActionKind::Fence;
  Mode mode = Mode::Na;
  Half half = Half::Whole;
  Chosen chosen = Chosen::Unknown;
  bool hidden = false;     // from models and reports
  bool stuck = false;      // a read that makes its thread wait
  bool failed_cas = false; // the read of a compare-exchange whose write is not there

  bool is_read() const { return kind == ActionKind::Read; }
  bool is_write() const { return kind == ActionKind::Write && half == Half::Whole; }
  bool is_fence() const { return kind == ActionKind::Fence; }
  const Action& action() const { return at->action; }
};

template <unsigned W> struct SplitGraph : CoherenceGraph<W, SplitEvent> {
  using Base = CoherenceGraph<W, SplitEvent>;
  using Base::bit, Base::event, Base::location, Base::order, Base::stamps, Base::used;
  using typename Base::Set;

  struct Thread {
    LocalState* begin = nullptr; // null while it does not exist
    LocalState* now = nullptr;   // at its first event that is missing, or not committed
    Id spawned_by = none;
    bool halted = false;  // it waits, or met an error
    bool told = false;    // of the error that it met
    std::vector<Id> slot; // events by program order; `none` where one is missing. A store-conditional whose write is
                          // missing: its outcome
  };

  std::vector<Thread> thread;
  Set updating;        // reads of read-modify-writes whose write is there
  bool judged = false; // the model was asked about the graph as it is, and allows it
  bool fits = false;   // it did so before events came that nothing comes after

  Id at_slot(std::uint32_t t, std::size_t slot) const {
    FP_ASSERT(t < thread.size(), "a slot should be asked of a thread that exists");
    return slot < thread[t].slot.size() ? thread[t].slot[slot] : none;
  }
  // Whether the write in this slot happens, where that is an event of its own.
  Id outcome_at(std::uint32_t t, std::size_t slot) const {
    const Id e = at_slot(t, slot);
    return e == none || (*this)[e].half == Half::Outcome ? e : (*this)[e].outcome;
  }
  // The first slot of the atomic block that a slot of a thread is in; the slot itself where it is in none.
  std::uint32_t block_of(std::uint32_t t, std::uint32_t slot) const {
    for (std::uint32_t k = slot; k-- > 0;) {
      const Id e = at_slot(t, k);
      if (e == none) continue;
      if ((*this)[e].kind == ActionKind::AtomicEnd) break;
      if ((*this)[e].kind == ActionKind::AtomicBegin) return k;
    }
    return slot;
  }
  // The part of an event after which it is over.
  Id whole(Id e) const { return (*this)[e].is_write() ? (*this)[e].commit : e; }
  bool committed(Id w) const { return w == initial || (*this)[w].commit != none; }
  // Whether a set of events holds the commit of a write.
  bool commits(const Set& set, Id w) const {
    return w == initial || ((*this)[w].commit != none && set.test(bit((*this)[w].commit)));
  }

  // About how much memory it takes.
  std::size_t bytes() const {
    return sizeof *this + event.size() * (sizeof(SplitEvent) + 2 * sizeof(Set)) + location.size() * sizeof location[0] +
           thread.size() * (sizeof(Thread) + 64);
  }

  // `none` where the graph is full.
  Id add(std::uint32_t t, std::uint32_t slot, LocalState* at, Half half) {
    FP_ASSERT(t < thread.size() && thread[t].begin, "who makes an event should exist");
    FP_ASSERT(at != nullptr, "an event should know the state that it comes from");
    FP_ASSERT(at->location == no_location || at->location < location.size(), "its location should be known");
    const Id e = Base::take_number([](std::size_t) {});
    if (e == none) return none;
    SplitEvent& v = (*this)[e];
    v = {};
    v.at = at;
    v.kind = at->action.kind;
    v.mode = at->action.mode;
    v.location = at->location;
    v.value = at->action.value;
    v.thread = t;
    v.slot = slot;
    v.stamp = stamps++;
    v.half = half;
    if (half == Half::Outcome) v.kind = ActionKind::Write; // or would, were it no failure
    v.hidden = half != Half::Whole;
    Thread& th = thread[t];
    if (th.slot.size() <= slot) th.slot.resize(slot + 1, none);
    FP_ASSERT(half == Half::Commit || th.slot[slot] == none || (*this)[th.slot[slot]].half == Half::Outcome,
              "a slot should be free for its event");
    if (half != Half::Commit) th.slot[slot] = e;
    if (v.is_read()) location[v.location].reads.set(bit(e));
    order.push_back(e);
    judged = false;
    return e;
  }

  // Takes an event out. pre: what needs it is gone. `order` is left to the caller.
  void remove(Id e) {
    SplitEvent& v = (*this)[e];
    FP_ASSERT(used.test(bit(e)), "what goes should be there");
    FP_ASSERT(v.slot < thread[v.thread].slot.size(), "an event should have a slot to leave");
    judged = false;
    used.reset(bit(e));
    if (v.half == Half::Commit) {
      FP_ASSERT(v.write != none && (*this)[v.write].commit == e, "a commit and its write should know one another");
      if ((*this)[v.write].co_before != none) this->displace(v.write);
      (*this)[v.write].commit = none;
      return;
    }
    if (v.is_read()) {
      if (v.reads_from != none) this->clear_reads_from(e);
      location[v.location].reads.reset(bit(e));
      updating.reset(bit(e));
      if (v.action().part != Part::Load) part_from_write(e);
    }
    if (v.is_write() && v.action().rmw && v.pair != none) {
      (*this)[v.pair].failed_cas = compares(v.pair);
      updating.reset(bit(v.pair));
    }
    if (v.kind == ActionKind::Spawn) thread[v.value] = {};
    thread[v.thread].slot[v.slot] = v.outcome;
  }

  // What a read that goes writes may be known without it.
  void part_from_write(Id r) {
    const auto& slots = thread[(*this)[r].thread].slot;
    for (std::size_t k = (*this)[r].slot + 1; k < slots.size(); ++k)
      if (slots[k] != none && (*this)[slots[k]].pair == r) (*this)[slots[k]].pair = none;
  }

  bool compares(Id r) const { return (*this)[r].action().part == Part::Cas; }

  // Makes two events a pair: the read, and the write that was there before it, or comes after it.
  void pair_up(Id r, Id w) {
    FP_ASSERT((*this)[r].is_read(), "the first of a pair should be a read");
    FP_ASSERT((*this)[w].is_write(), "the second of a pair should be a write");
    FP_ASSERT((*this)[r].thread == (*this)[w].thread, "a pair should be of one thread");
    FP_ASSERT((*this)[r].slot < (*this)[w].slot, "a pair should be in program order");
    (*this)[w].pair = r;
    if (!(*this)[w].action().rmw) return;
    (*this)[r].failed_cas = false;
    updating.set(bit(r));
  }

  // --- what a Reporter asks
  bool shown(Id e) const { return !(*this)[e].hidden && !(*this)[e].stuck; }
  std::uint32_t index_of(Id e) const { return (*this)[e].slot; }
  const std::vector<Id>& order_of(std::uint32_t t) const { return thread[t].slot; }
  bool known_before(Id first, Id second) const { return this->prefix_of(whole(second)).test(bit(whole(first))); }
  bool updates(Id e) const {
    const SplitEvent& v = (*this)[e];
    if (!v.is_read()) return v.is_write() && v.pair != none;
    const auto& slots = thread[v.thread].slot;
    return std::any_of(slots.begin() + v.slot, slots.end(),
                       [&](Id w) { return w != none && (*this)[w].is_write() && (*this)[w].pair == e; });
  }
  Id joined(Id e) const {
    if ((*this)[e].kind != ActionKind::Join) return none;
    FP_ASSERT((*this)[e].action().value < thread.size(), "who is joined should exist");
    Id last = none;
    for (const Id d : thread[(*this)[e].action().value].slot)
      if (d != none && shown(d)) last = d;
    return last;
  }
  bool stopped(std::uint32_t t) const { return thread[t].halted; }
  // A thread may have allocated memory after an event that is missing now.
  const LocalState* latest(std::uint32_t t) const {
    for (auto e = thread[t].slot.rbegin(); e != thread[t].slot.rend(); ++e)
      if (*e != none) return (*this)[*e].slot > thread[t].now->state.events ? (*this)[*e].at : thread[t].now;
    return thread[t].now;
  }
};

} // namespace fencepost
