// What an engine does with what it finds: the part that looks at many events of many graphs and is made for each kind
// of graph. What is seldom done is in Teller.
//
// From a graph G it needs, besides coherence: `shown(e)`, whether the event exists for the outside; `order_of(t)`, the
// events of a thread by their index in program order, `none` where one is missing; `updates(e)`, whether it belongs to
// a read-modify-write that writes; `joined(e)`, the last event of the thread that a Join waited for; `known_before`,
// whether an event is sure to be over when another happens; `latest(t)`, the most advanced state of a thread;
// `stopped(t)`, whether an error or a bound ended it.
#pragma once

#include "explore/teller.hpp"

#include <optional>

namespace fencepost {

struct Trouble {
  ErrorKind kind;
  std::string message;
};

template <class G> class Reporter : public Teller {
public:
  using Teller::Teller;

  // Why the next action of a thread cannot be an event, if so.
  std::optional<Trouble> fault(const G& g, std::uint32_t t) const;

  void report(const G& g, ErrorKind kind, const std::string& message, std::uint32_t position, std::int32_t thread,
              const std::vector<Id>& blame) {
    Teller::report(ViewOf<G>(g), kind, message, position, thread, blame);
  }

  // Heap memory: an access before it was written, after it was freed, or unordered with the free; a second free.
  // Whether there is one.
  bool memory(const G& g, Id e);

  // A graph in which all threads have ended, or in which no thread can move. Where the process has ended (main
  // returned, or somebody called exit), threads that still wait were ended by it: the execution is complete, and nobody
  // waits for ever. Threads that could move have moved: nothing can observe the end, so an execution in which it cuts a
  // thread short is a prefix of one in which it comes last, and has no error of its own.
  void complete(const G& g);
  void blocked(const G& g);
  void report_unsettled(const G& g) { Teller::report_unsettled(ViewOf<G>(g)); }
  // Whether thread t spins and has not seen the newest values.
  bool spins_on(const G& g, std::uint32_t t) const;

  // The allocation that holds an address of the heap or a shared stack, by whoever made it; null where there is none.
  const Allocation* allocation_of(const G& g, std::uint64_t address) const;

private:
  void report_ended(const G& g);
  bool stalled(const G& g, std::vector<Id>& blame) const;
  bool repeats(const G& g, const std::vector<Id>& events, std::uint64_t since) const;
  bool serves(const G& g, Id w) const;
  bool comes_round(const G& g, Id w) const;
  bool on_the_way(const G& g) const;
};

} // namespace fencepost
