// What a thread does depends only on the answers it got. So its states form a tree whose edges are answers, and each
// state is computed once per exploration, however many executions pass through it.
#pragma once

#include "vm/contract.hpp"
#include "vm/machine.hpp"
#include "vm/prologue.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fencepost {

using Location = std::uint32_t;
inline constexpr Location no_location = UINT32_MAX;

struct LocalState {
  ThreadState state; // run up to `action`
  Action action;
  Location location = no_location; // of a Read, Write
  bool mixed = false;              // overlaps another location: mixed sizes
  std::int32_t running = 0;        // threads that it has started and not joined
  std::uint32_t mark = 0;          // of the last collection that kept it
  LocalState* parent = nullptr;    // null for the first state of a thread
  std::uint64_t answer = 0;        // the edge from the parent; of one that was told, whether it succeeds
  std::uint64_t late = 0;          // the first 64 threads that note_late was told of
  bool told = false;               // the parent, with the outcome of its compare-exchange said beforehand
  LocalState* twins[2] = {};       // itself, where that is said
  LocalState* stopped = nullptr;   // itself, where the attempt in vain before it is left out: see Attempts
  LocalState* child(std::uint64_t given) const {
    if (children.size() > few) {
      const auto known = index.find(given);
      return known == index.end() ? nullptr : known->second;
    }
    for (const auto& [known, state_after] : children)
      if (known == given) return state_after;
    return nullptr;
  }

  void add_child(LocalState* fresh) {
    FP_ASSERT(child(fresh->answer) == nullptr, "an answer should lead to one state");
    children.emplace_back(fresh->answer, fresh);
    if (children.size() == few + 1) index.insert(children.begin(), children.end());
    if (children.size() > few + 1) index.insert(children.back());
  }

  template <typename Wanted> void keep_children(Wanted wanted) {
    for (LocalState*& twin : twins)
      if (twin != nullptr && !wanted(*twin)) twin = nullptr;
    std::erase_if(children, [&](const auto& edge) { return !wanted(*edge.second); });
    index.clear();
    if (children.size() > few) index.insert(children.begin(), children.end());
  }

private:
  static constexpr std::size_t few = 32; // up to here looking through them all is faster
  std::vector<std::pair<std::uint64_t, LocalState*>> children;
  std::unordered_map<std::uint64_t, LocalState*> index; // of the children, where they are more
};

// The places that accesses touch, numbered as they appear. A place is an address and a size.
class Locations {
public:
  Locations(const Bytecode& program, const Prologue& prologue) : program_(program), prologue_(prologue) {}

  // The number of the place, or no_location where it overlaps a different one.
  Location find(std::uint64_t address, unsigned size);

  // Where accesses must be cut so that this place and those that it overlaps fall apart into common pieces.
  std::vector<std::uint64_t> cuts(std::uint64_t address, unsigned size) const;

  std::size_t count() const { return places_.size(); }
  std::uint64_t address(Location l) const { return place(l).address; }
  unsigned size(Location l) const { return place(l).size; }
  std::uint64_t initial(Location l) const { return place(l).initial; }

private:
  struct Place {
    std::uint64_t address, initial;
    unsigned size;
  };
  const Place& place(Location l) const {
    FP_ASSERT(l < places_.size(), "a location should have a place");
    return places_[l];
  }

  const Bytecode& program_;
  const Prologue& prologue_;
  std::vector<Place> places_;
  std::unordered_map<std::uint64_t, std::vector<Location>> by_granule_; // 8-byte granules
};

// The numbers of threads that others start, the same in every execution: programs keep them in memory. All who share an
// exploration share them; who goes on with a saved one gets to know those that are in it.
class ThreadNumbers {
public:
  explicit ThreadNumbers(std::size_t first) : next_(static_cast<std::uint32_t>(first)) {}

  // The number of the thread that `parent` starts as its `which`-th.
  std::uint32_t of(std::uint32_t parent, std::uint32_t which);

  // The thread that `parent` started as its `which`-th has this number.
  void know(std::uint32_t parent, std::uint32_t which, std::uint32_t number);

private:
  std::mutex mutex_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_;
  std::uint32_t next_;
};

class Attempts;
class Rounds;
class UndoneRounds;

class LocalStates {
public:
  LocalStates(const Bytecode& program, bool track_dependencies, MachineLimits limits,
              std::shared_ptr<ThreadNumbers> numbers);
  ~LocalStates();

  Machine& machine() { return machine_; }
  Attempts* attempts() const { return attempts_.get(); }
  UndoneRounds* undone() const { return undone_.get(); }
  Locations& locations() { return locations_; }
  const Prologue& prologue() const { return prologue_; }

  // The first state of a thread.
  LocalState* first(std::uint32_t thread, std::uint32_t function, const std::vector<std::uint64_t>& args);

  // What the first state of a thread was made of: thread, function, arguments. pre: `state` is one.
  using Start = std::tuple<std::uint32_t, std::uint32_t, std::vector<std::uint64_t>>;
  const Start& start_of(const LocalState& state) const;

  // The state after `state` got this answer.
  LocalState* next(LocalState* state, std::uint64_t answer) {
    FP_ASSERT(state != nullptr, "a state that goes on should exist");
    LocalState* known = state->child(answer);
    return known != nullptr ? known : compute_next(state, answer);
  }

  // The same state, but that its compare-exchange comes out so, whatever it reads. pre: it is at one.
  LocalState* told(LocalState* state, bool success);

  ThreadNumbers& numbers() { return *numbers_; }

  std::size_t bytes() const { return bytes_; }

  // Forgets every state that is not marked live (and their children). pre: the ancestors of live states are live.
  void collect(const std::vector<LocalState*>& live);

private:
  Action begin(ThreadState& state);
  LocalState* compute_next(LocalState* state, std::uint64_t answer);
  LocalState* adopt(std::unique_ptr<LocalState> fresh);

  Machine machine_;
  std::uint32_t least_; // events of a prologue
  Prologue prologue_;
  Locations locations_;
  std::unique_ptr<Rounds> rounds_;       // where they are looked for
  std::unique_ptr<Attempts> attempts_;   // likewise, of programs with loops that may take back what they add
  bool goes_round_ = false;              // where the engine leaves attempts out
  std::unique_ptr<UndoneRounds> undone_; // where there may be some that matter
  std::vector<std::unique_ptr<LocalState>> states_;
  std::map<Start, LocalState*> first_;
  std::shared_ptr<ThreadNumbers> numbers_;
  std::size_t bytes_ = 0;
  std::uint32_t epoch_ = 0;
};

} // namespace fencepost
