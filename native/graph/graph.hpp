// An execution graph under construction: events with stable numbers, reads-from, coherence as linked lists, and for
// each event the set of its predecessors as a bit row. Everything is plain data: copying a graph copies a few arrays.
#pragma once

#include "graph/coherence.hpp"

namespace fencepost {

struct Event {
  LocalState* at = nullptr; // the thread's state with this event as its pending action
  std::uint64_t value = 0;  // what a read read, a write wrote, a choice chose
  std::uint32_t thread = 0, index = 0, stamp = 0;
  Location location = no_location;
  Id reads_from = none;
  Id po_before = none, po_after = none;          // neighbours in the thread
  Id co_before = none, co_after = none;          // neighbours in coherence; co_before is `initial` for the first
  Id joined = none;                              // Join: the last event of the thread that ended
  Id waited = none;                              // the marker that this one replaced
  Id fence_before = none, release_before = none; // the last releasing fence and write before it in its thread
  ActionKind kind = ActionKind::Fence;
  Mode mode = Mode::Na;
  // A marker: "the thread was asked, took nothing of what was there, and waits". It stands in `order` and nowhere else.
  bool waiting = false;
  // A wait that a revisit made read what does not serve it: only another revisit wakes it. With a coherence order it is
  // kept like a marker, without one (where every wait that read what does not serve it is pinned) like a read.
  bool pinned = false;

  bool is_marker() const { return waiting && !pinned; }
  bool is_read() const { return kind == ActionKind::Read; }
  bool is_write() const { return kind == ActionKind::Write; }
  bool is_update() const { return is_write() && at->action.rmw; } // the write of a read-modify-write
  bool is_fence() const { return kind == ActionKind::Fence; }
};

template <unsigned W> struct Graph : CoherenceGraph<W, Event> {
  using Base = CoherenceGraph<W, Event>;
  using Base::bit, Base::event, Base::location, Base::order, Base::stamps, Base::used;
  using Base::coherence_after, Base::coherence_last;
  using typename Base::Set;

  struct Thread {
    LocalState* now = nullptr; // null while it does not exist
    Id last = none;            // its last event
    Id spawned_by = none;
    Id waits = none;       // its marker or pinned wait, if any
    bool stuck = false;    // it met an error or a bound and moves no more
    std::int32_t kin = -1; // threads with the same number do the same: see explore/symmetry.hpp
    Set events;
  };

  std::vector<Set> hb;      // everything that happens before it; only where the model has its own happens-before
  std::vector<Set> message; // what an acquire of this write learns
  std::vector<Set> pending; // what an acquire fence after this event would learn
  std::vector<Set> earlier; // accesses of its location before it in (hb ∪ rf)+; only where there is no coherence order
  std::vector<Thread> thread;

  const Set& hb_of(Id e) const {
    FP_ASSERT(e >= 0 && static_cast<std::size_t>(e) < hb.size(), "an event should have its happens-before");
    return hb[static_cast<std::size_t>(e)];
  }

  // A fresh number, or `none` where the graph is full.
  Id take_number(bool own_happens_before) {
    return Base::take_number([&](std::size_t size) {
      if (!own_happens_before) return;
      hb.resize(size);
      message.resize(size);
      pending.resize(size);
    });
  }

  void give_number_back(Id e) { used.reset(bit(e)); }

  // Appends the pending event of a thread, with no reads-from and no place in coherence yet. `none` where full.
  Id append(std::uint32_t t, bool own_happens_before) {
    FP_ASSERT(t < thread.size() && thread[t].now, "who makes an event should exist");
    const Id e = take_number(own_happens_before);
    if (e == none) return none;
    Thread& th = thread[t];
    FP_ASSERT(th.now->location == no_location || th.now->location < location.size(), "its location should be known");
    FP_ASSERT(th.last == none || (*this)[th.last].po_after == none, "nothing should follow the last event of a thread");
    Event& v = (*this)[e];
    v = Event{};
    v.at = th.now;
    v.kind = th.now->action.kind;
    v.mode = th.now->action.mode;
    v.location = th.now->location;
    v.value = th.now->action.value;
    v.thread = t;
    v.stamp = stamps++;
    v.po_before = th.last;
    if (th.last != none) {
      v.index = (*this)[th.last].index + 1;
      (*this)[th.last].po_after = e;
    }
    th.last = e;
    th.events.set(bit(e));
    if (v.is_read()) location[v.location].reads.set(bit(e));
    order.push_back(e);
    return e;
  }

  // Turns the event just appended, a read that waits, into a marker: the thread stands before it again.
  void make_waiting(Id e) {
    FP_ASSERT((*this)[e].is_read(), "only a read should become a marker");
    FP_ASSERT(!(*this)[e].waiting, "a marker should be made once");
    FP_ASSERT(thread[(*this)[e].thread].last == e, "who waits should stand at its last event");
    Event& v = (*this)[e];
    Thread& th = thread[v.thread];
    detach(e);
    v.waiting = true;
    v.reads_from = coherence_last(v.location);
    th.waits = e;
  }

  // Undoes make_waiting.
  void unmake_waiting(Id e, Id waits_before) {
    FP_ASSERT((*this)[e].waiting, "only a marker should be unmade");
    FP_ASSERT(thread[(*this)[e].thread].waits == e, "a marker that is unmade should be the one its thread waits by");
    Event& v = (*this)[e];
    Thread& th = thread[v.thread];
    v.waiting = v.pinned = false;
    v.reads_from = none;
    th.waits = waits_before;
    attach(e);
  }

  // Undoes append. pre: e is the last event of `order`, with no reads-from and no place in coherence.
  void retract(Id e) {
    FP_ASSERT(!order.empty() && order.back() == e, "events should be retracted in reverse order");
    FP_ASSERT((*this)[e].stamp + 1 == stamps, "the last event should have the last stamp");
    FP_ASSERT(!(*this)[e].is_read() || (*this)[e].reads_from == none, "a read should lose its source before it goes");
    FP_ASSERT(!(*this)[e].is_write() || (*this)[e].co_before == none, "a write should lose its place before it goes");
    order.pop_back();
    --stamps;
    unlink(e);
  }

  // Takes e out of its thread and location and frees its number. pre: nothing po-after it remains.
  void unlink(Id e) {
    FP_ASSERT(used.test(bit(e)), "what goes should be there");
    if (!(*this)[e].waiting) detach(e);
    give_number_back(e);
  }

  void detach(Id e) {
    Event& v = (*this)[e];
    Thread& th = thread[v.thread];
    FP_ASSERT(th.last == e && v.po_after == none, "nothing po-after an event should remain when it goes");
    FP_ASSERT(th.events.test(bit(e)), "a thread should know the event that goes");
    FP_ASSERT(v.at != nullptr, "an event should know the state to go back to");
    th.last = v.po_before;
    th.now = v.at;
    th.events.reset(bit(e));
    if (v.po_before != none) (*this)[v.po_before].po_after = none;
    if (v.is_read()) location[v.location].reads.reset(bit(e));
  }

  void attach(Id e) {
    Event& v = (*this)[e];
    Thread& th = thread[v.thread];
    FP_ASSERT(th.last == v.po_before, "an event should come back to where it was");
    FP_ASSERT(!th.events.test(bit(e)), "an event should come back once");
    if (th.last != none) (*this)[th.last].po_after = e;
    th.last = e;
    th.events.set(bit(e));
    if (v.is_read()) location[v.location].reads.set(bit(e));
  }

  // The read half of an update.
  Id read_of_update(Id w) const {
    FP_ASSERT((*this)[w].is_update(), "only an update should be asked for its read");
    FP_ASSERT((*this)[w].po_before != none && (*this)[(*this)[w].po_before].is_read(),
              "an update should have its read");
    return (*this)[w].po_before;
  }

  // Whether another update has taken the place right after w.
  bool taken_by_update(Id w, Location l) const {
    const Id next = coherence_after(w, l);
    return next != none && (*this)[next].is_update();
  }

  // About how much memory it takes.
  std::size_t bytes() const {
    return sizeof *this + event.size() * (sizeof(Event) + 2 * sizeof(Set)) +
           (3 * hb.size() + earlier.size()) * sizeof(Set) + location.size() * sizeof location[0] +
           thread.size() * sizeof(Thread);
  }

  // --- what a Reporter asks
  bool shown(Id e) const { return !(*this)[e].waiting && !(*this)[e].pinned; }
  std::uint32_t index_of(Id e) const { return (*this)[e].index; }
  Id joined(Id e) const { return (*this)[e].joined; }
  bool stopped(std::uint32_t t) const { return thread[t].stuck; }
  const LocalState* latest(std::uint32_t t) const { return thread[t].now; }
  bool known_before(Id before, Id after) const {
    return (hb.empty() ? this->prefix_of(after) : hb_of(after)).test(bit(before));
  }
  bool updates(Id e) const {
    const Event& v = (*this)[e];
    if (!v.is_read()) return v.is_update();
    return v.po_after != none ? (*this)[v.po_after].is_update() : thread[v.thread].now->action.rmw;
  }
  std::vector<Id> order_of(std::uint32_t t) const {
    const Id last = thread[t].last;
    std::vector<Id> events(last == none ? 0 : (*this)[last].index + 1, none);
    for (Id e = last; e != none; e = (*this)[e].po_before) {
      FP_ASSERT((*this)[e].index < events.size(), "indices should fall along program order");
      events[(*this)[e].index] = e;
    }
    return events;
  }
};

} // namespace fencepost
