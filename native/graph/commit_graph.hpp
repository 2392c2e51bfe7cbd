// An execution graph whose events are committed out of program order: an event may be there while po-earlier ones are
// missing. Plain data; exploring an alternative starts with a copy.
#pragma once

#include "graph/graph.hpp"

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
  bool hidden = false;   // a write that does not happen: failed store-conditional, failed compare-exchange, phantom
  bool phantom = false;  // hidden, and the graph is no execution
  bool optional = false; // a write with a hidden alternative, which is the canonical one
  bool stuck = false;    // a read that makes its thread wait
  bool failed_cas = false;

  bool is_read() const { return kind == ActionKind::Read; }
  bool is_write() const { return kind == ActionKind::Write && !hidden; }
  bool is_fence() const { return kind == ActionKind::Fence; }
  const Action& action() const { return at->action; }
};

template <unsigned W> struct CommitGraph {
  using Set = Bits<W>;

  struct LocationState {
    Id first = none, last = none;
    Set writes, reads, initial_readers;
  };

  struct Thread {
    LocalState* begin = nullptr; // null while it does not exist
    LocalState* now = nullptr;   // at its first missing event
    Id spawned_by = none;
    bool halted = false;  // it waits, or met an error
    std::vector<Id> slot; // events by program order; `none` where one is missing
    Set events;
  };

  std::vector<CommittedEvent> event;
  std::vector<Set> before; // what must be committed before an event, directly, in its own thread
  std::vector<Set> prefix; // everything before it in (rf ∪ before)+
  std::vector<Set> readers;
  std::vector<LocationState> location;
  std::vector<Thread> thread;
  std::vector<Id> order;
  Set used;
  std::uint32_t stamps = 0;

  CommittedEvent& operator[](Id e) { return event[static_cast<std::size_t>(e)]; }
  const CommittedEvent& operator[](Id e) const { return event[static_cast<std::size_t>(e)]; }
  static unsigned bit(Id e) { return static_cast<unsigned>(e); }

  Set& readers_of(Id w, Location l) {
    return w == initial ? location[l].initial_readers : readers[static_cast<std::size_t>(w)];
  }
  const Set& readers_of(Id w, Location l) const {
    return w == initial ? location[l].initial_readers : readers[static_cast<std::size_t>(w)];
  }

  Id at_slot(std::uint32_t t, std::size_t slot) const {
    return slot < thread[t].slot.size() ? thread[t].slot[slot] : none;
  }

  // The event that a thread has in this slot from now on; `none` where the graph is full.
  Id add(std::uint32_t t, std::uint32_t slot, LocalState* at) {
    const unsigned free = used.first_absent();
    if (free == Set::capacity) return none;
    used.set(free);
    if (free >= event.size()) {
      event.resize(free + 1);
      before.resize(free + 1);
      prefix.resize(free + 1);
      readers.resize(free + 1);
    }
    readers[free].clear();
    before[free].clear();
    const auto e = static_cast<Id>(free);
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
    th.slot[slot] = e;
    th.events.set(free);
    if (v.is_read()) location[v.location].reads.set(free);
    order.push_back(e);
    return e;
  }

  // Takes an event out, whatever is after it. `order` is left to the caller.
  void remove(Id e) {
    CommittedEvent& v = (*this)[e];
    if (v.is_read()) {
      if (v.reads_from != none) clear_reads_from(e);
      location[v.location].reads.reset(bit(e));
    }
    if (v.is_write() && v.co_before != none) displace(e);
    if (v.kind == ActionKind::Spawn) thread[v.value] = {};
    thread[v.thread].slot[v.slot] = none;
    thread[v.thread].events.reset(bit(e));
    used.reset(bit(e));
  }

  void set_reads_from(Id r, Id w) {
    (*this)[r].reads_from = w;
    readers_of(w, (*this)[r].location).set(bit(r));
  }
  void clear_reads_from(Id r) {
    readers_of((*this)[r].reads_from, (*this)[r].location).reset(bit(r));
    (*this)[r].reads_from = none;
  }

  void place(Id w, Id after) {
    CommittedEvent& v = (*this)[w];
    LocationState& l = location[v.location];
    v.co_before = after;
    v.co_after = after == initial ? l.first : (*this)[after].co_after;
    (after == initial ? l.first : (*this)[after].co_after) = w;
    (v.co_after == none ? l.last : (*this)[v.co_after].co_before) = w;
    l.writes.set(bit(w));
  }
  void displace(Id w) {
    CommittedEvent& v = (*this)[w];
    LocationState& l = location[v.location];
    (v.co_before == initial ? l.first : (*this)[v.co_before].co_after) = v.co_after;
    if (v.co_after == none)
      l.last = v.co_before == initial ? none : v.co_before;
    else
      (*this)[v.co_after].co_before = v.co_before;
    l.writes.reset(bit(w));
    v.co_before = v.co_after = none;
  }
  Id coherence_last(Location l) const { return location[l].last == none ? initial : location[l].last; }
  Id coherence_after(Id w, Location l) const { return w == initial ? location[l].first : (*this)[w].co_after; }
};

} // namespace fencepost
