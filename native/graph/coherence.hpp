// What every execution graph has, whatever the order in which its events come: events with stable numbers, who reads
// from whom, and coherence as linked lists.
#pragma once

#include "graph/wide_bits.hpp"
#include "vm/contract.hpp"
#include "vm/local_states.hpp"

#include <vector>

namespace fencepost {

using Id = std::int32_t;
inline constexpr Id none = -1;    // no event
inline constexpr Id initial = -2; // the initial write of a location

// E has location, reads_from, co_before, co_after: neighbours in coherence, `initial` before the first.
template <unsigned W, class E> struct CoherenceGraph {
  using Set = Bits<W>;

  struct LocationState {
    Id first = none, last = none; // coherence, without the initial write
    Set writes, reads, initial_readers;
  };

  std::vector<E> event;     // by number; unused numbers hold garbage
  std::vector<Set> prefix;  // everything that must be there before an event
  std::vector<Set> readers; // who reads from a write
  std::vector<LocationState> location;
  std::vector<Id> order; // events by stamp: the order in which they were added
  Set used;
  std::uint32_t stamps = 0;

  E& operator[](Id e) {
    FP_ASSERT(e >= 0 && static_cast<std::size_t>(e) < event.size(), "the number of an event should be below the size");
    return event[static_cast<std::size_t>(e)];
  }
  const E& operator[](Id e) const {
    FP_ASSERT(e >= 0 && static_cast<std::size_t>(e) < event.size(), "the number of an event should be below the size");
    return event[static_cast<std::size_t>(e)];
  }
  static unsigned bit(Id e) {
    FP_ASSERT(e >= 0, "what is put into a row should be an event");
    return static_cast<unsigned>(e);
  }
  Set& prefix_of(Id e) {
    FP_ASSERT(e >= 0 && static_cast<std::size_t>(e) < prefix.size(), "an event should have a prefix");
    return prefix[static_cast<std::size_t>(e)];
  }
  const Set& prefix_of(Id e) const {
    FP_ASSERT(e >= 0 && static_cast<std::size_t>(e) < prefix.size(), "an event should have a prefix");
    return prefix[static_cast<std::size_t>(e)];
  }
  Set& readers_of(Id w, Location l) {
    FP_ASSERT(w == initial || w >= 0, "what is read should be a write");
    FP_ASSERT(w != initial || l < location.size(), "an initial write should be of a known location");
    return w == initial ? location[l].initial_readers : readers[static_cast<std::size_t>(w)];
  }
  const Set& readers_of(Id w, Location l) const {
    return w == initial ? location[l].initial_readers : readers[static_cast<std::size_t>(w)];
  }

  // A fresh number, or `none` where the graph is full. `grow` is called when the arrays must grow.
  template <class F> Id take_number(F&& grow) {
    const unsigned free = used.first_absent();
    if (free == Set::capacity) return none;
    used.set(free);
    if (free >= event.size()) {
      event.resize(free + 1);
      prefix.resize(free + 1);
      readers.resize(free + 1);
      grow(free + 1);
    }
    FP_ASSERT(event.size() == prefix.size() && event.size() == readers.size(), "arrays by number should grow together");
    readers[free].clear();
    return static_cast<Id>(free);
  }

  void set_reads_from(Id r, Id w) {
    E& v = (*this)[r];
    FP_ASSERT(v.is_read(), "only reads should read");
    FP_ASSERT(v.reads_from == none, "a read should lose its old source first");
    FP_ASSERT(w == initial || used.test(bit(w)), "the source of a read should be there");
    FP_ASSERT(w == initial || (*this)[w].is_write(), "the source of a read should be a write");
    FP_ASSERT(w == initial || (*this)[w].location == v.location, "the source of a read should be of its location");
    v.reads_from = w;
    readers_of(w, v.location).set(bit(r));
  }

  void clear_reads_from(Id r) {
    E& v = (*this)[r];
    FP_ASSERT(v.is_read(), "only reads should lose a source");
    FP_ASSERT(v.reads_from != none, "a read should have a source to lose");
    FP_ASSERT(readers_of(v.reads_from, v.location).test(bit(r)), "a write should know who reads it");
    readers_of(v.reads_from, v.location).reset(bit(r));
    v.reads_from = none;
  }

  // Puts w into coherence right after `before` (which may be `initial`).
  void place(Id w, Id before) {
    E& v = (*this)[w];
    FP_ASSERT(v.is_write(), "coherence should order writes");
    FP_ASSERT(v.location < location.size(), "the location of a write should be known");
    FP_ASSERT(v.co_before == none, "a write should have one place in coherence");
    FP_ASSERT(before != w, "no write should stand after itself");
    FP_ASSERT(before == initial || (*this)[before].location == v.location, "neighbours should be of one location");
    LocationState& l = location[v.location];
    FP_ASSERT(before == initial || l.writes.test(bit(before)), "what a write is put after should have a place itself");
    v.co_before = before;
    v.co_after = before == initial ? l.first : (*this)[before].co_after;
    (before == initial ? l.first : (*this)[before].co_after) = w;
    (v.co_after == none ? l.last : (*this)[v.co_after].co_before) = w;
    l.writes.set(bit(w));
  }

  void displace(Id w) {
    E& v = (*this)[w];
    FP_ASSERT(v.co_before != none, "a write should have a place to lose");
    LocationState& l = location[v.location];
    FP_ASSERT(l.writes.test(bit(w)), "a location should know its writes");
    FP_ASSERT(v.co_after != none || l.last == w, "what nothing follows should be coherence-last");
    (v.co_before == initial ? l.first : (*this)[v.co_before].co_after) = v.co_after;
    if (v.co_after == none)
      l.last = v.co_before == initial ? none : v.co_before;
    else
      (*this)[v.co_after].co_before = v.co_before;
    l.writes.reset(bit(w));
    v.co_before = v.co_after = none;
  }

  Id coherence_last(Location l) const {
    FP_ASSERT(l < location.size(), "coherence should be asked of a known location");
    return location[l].last == none ? initial : location[l].last;
  }
  Id coherence_after(Id w, Location l) const {
    FP_ASSERT(w != initial || l < location.size(), "coherence should be asked of a known location");
    return w == initial ? location[l].first : (*this)[w].co_after;
  }
};

} // namespace fencepost
