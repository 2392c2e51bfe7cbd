// An execution graph whose events are committed out of program order: an event may be there while po-earlier ones are
// missing. Plain data; exploring an alternative starts with a copy.
#pragma once

#include "graph/coherence.hpp"

#include <algorithm>

namespace fencepost {

struct CommittedEvent {
  LocalState* at = nullptr; // the thread when the event was first added
  std::uint64_t value = 0;
  std::uint32_t thread = 0, slot = 0, stamp = 0; // slot: its index in program order
  Location location = no_location;
  Id reads_from = none, co_before = none, co_after = none;
  Id pair = none; // write of a read-modify-write: its read
  ActionKind kind = ActionKind::Fence;
  Mode mode = Mode::Na;
  bool hidden = false; // a write that does not happen: failed store-conditional, failed compare-exchange
  bool stuck = false;  // a read that makes its thread wait
  bool failed_cas = false;

  bool is_read() const { return kind == ActionKind::Read; }
  bool is_write() const { return kind == ActionKind::Write && !hidden; }
  bool is_fence() const { return kind == ActionKind::Fence; }
  const Action& action() const { return at->action; }
};

template <unsigned W> struct CommitGraph : CoherenceGraph<W, CommittedEvent> {
  using Base = CoherenceGraph<W, CommittedEvent>;
  using Base::bit, Base::location, Base::order, Base::stamps, Base::used;
  using typename Base::Set;

  struct Thread {
    LocalState* begin = nullptr; // null while it does not exist
    LocalState* now = nullptr;   // at its first missing event
    Id spawned_by = none;
    bool halted = false;  // it waits, or met an error
    std::vector<Id> slot; // events by program order; `none` where one is missing
    Set events;
  };

  std::vector<Set> before; // what must be committed before an event, directly, in its own thread
  std::vector<Thread> thread;

  Id at_slot(std::uint32_t t, std::size_t slot) const {
    FP_ASSERT(t < thread.size(), "a slot should be asked of a thread that exists");
    return slot < thread[t].slot.size() ? thread[t].slot[slot] : none;
  }

  // The event that a thread has in this slot from now on; `none` where the graph is full.
  Id add(std::uint32_t t, std::uint32_t slot, LocalState* at) {
    FP_ASSERT(t < thread.size() && thread[t].begin, "who makes an event should exist");
    FP_ASSERT(at != nullptr, "an event should know the state that it comes from");
    const Id e = Base::take_number([&](std::size_t size) { before.resize(size); });
    if (e == none) return none;
    before[static_cast<std::size_t>(e)].clear();
    CommittedEvent& v = (*this)[e];
    v = {};
    v.at = at;
    v.kind = at->action.kind;
    v.mode = at->action.mode;
    v.location = at->location;
    v.value = at->action.value;
    v.thread = t;
    v.slot = slot;
    v.stamp = stamps++;
    Thread& th = thread[t];
    if (th.slot.size() <= slot) th.slot.resize(slot + 1, none);
    FP_ASSERT(th.slot[slot] == none, "a slot should be free for its event");
    th.slot[slot] = e;
    th.events.set(bit(e));
    if (v.is_read()) location[v.location].reads.set(bit(e));
    order.push_back(e);
    return e;
  }

  // Takes an event out, whatever is after it. `order` is left to the caller.
  void remove(Id e) {
    CommittedEvent& v = (*this)[e];
    FP_ASSERT(used.test(bit(e)), "what goes should be there");
    FP_ASSERT(thread[v.thread].slot[v.slot] == e, "a thread should have its event in its slot");
    if (v.is_read()) {
      if (v.reads_from != none) this->clear_reads_from(e);
      location[v.location].reads.reset(bit(e));
    }
    if (v.is_write() && v.co_before != none) this->displace(e);
    if (v.kind == ActionKind::Spawn) thread[v.value] = {};
    thread[v.thread].slot[v.slot] = none;
    thread[v.thread].events.reset(bit(e));
    used.reset(bit(e));
  }

  // --- what a Reporter asks
  bool shown(Id e) const { return !(*this)[e].hidden && !(*this)[e].stuck; }
  std::uint32_t index_of(Id e) const { return (*this)[e].slot; }
  const std::vector<Id>& order_of(std::uint32_t t) const { return thread[t].slot; }
  bool known_before(Id first, Id second) const { return this->prefix_of(second).test(bit(first)); }
  bool updates(Id e) const {
    const CommittedEvent& v = (*this)[e];
    if (!v.is_read()) return v.is_write() && v.pair != none;
    return std::any_of(order.begin(), order.end(), [&](Id w) { return (*this)[w].is_write() && (*this)[w].pair == e; });
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
