// The transition system of each thread, made on demand: its local states by number, the label each offers, where each
// value leads. A thread alone is deterministic, so the machine runs once per local state and value; after that a step
// is a look-up, and a state of the search holds one small number per thread and per location.
// The slow twin is program/transitions.py.
#pragma once

#include "vm/liveness.hpp"
#include "vm/machine.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace fencepost::states {

inline constexpr std::uint32_t unknown = UINT32_MAX; // a successor that nobody computed yet
inline constexpr std::uint32_t no_value = UINT32_MAX;
inline constexpr std::uint32_t not_started = 0; // the local state of a thread that was not spawned yet
inline constexpr unsigned max_threads = 64;

// What a label does, as the monitor sees it. An Update is an RMW of any kind; a Cas is one of Read and Update.
enum class LabelKind : std::uint8_t {
  Read,
  Write,
  Update,
  Cas,
  Await,
  BlockingCas,
  Fence,
  Silent,
  Choose,
  Spawn,
  Join,
  End,
  Blocked,
  Error
};

struct Successor {
  std::uint32_t key;                // which value was read or chosen, see LocalStates::compute
  std::uint32_t next;               // local state of the same thread
  std::uint32_t written = no_value; // value number
  std::uint32_t child = not_started;
};

struct LocalState {
  ThreadState state;
  Action action;
  LabelKind kind = LabelKind::Blocked;
  bool non_atomic = false;
  bool waits_alone = false; // Blocked, but not by an assumption: it waits for private memory, which nobody will change
  std::int32_t location = -1;
  std::uint64_t apart = 0; // Cas, BlockingCas, Await on = or !=: the value treated unlike all others
  bool tells_all = false;  // Await on anything else: no two values need be alike
  std::vector<Successor> successors;
  // Which old values of the location are fatal for this label, as bits of the monitor's rows (see monitor.hpp).
  std::vector<std::uint64_t> fatal_read, fatal_write, fatal_update;
  // Which are fatal for the thread's next label on their location, see Plan::look_back.
  std::vector<std::uint64_t> next_v, next_x;
  // Per judged location: which locations the thread reads in any case before it accesses that one, see Plan::look_back.
  std::vector<std::uint64_t> before;
};

// A memory location and what is known about its use so far. `values` numbers the values it ever held.
struct Location {
  std::uint64_t address = 0;
  std::uint8_t size = 8;
  std::uint64_t threads = 0;              // bit set of those that touch it
  std::uint64_t readers = 0, writers = 0; // those that may read it, or write it; an RMW does both
  bool atomic = false, read = false, written = false, updated = false;
  bool non_atomic = false, seq_cst = false; // some access is
  std::uint64_t releasing = 0, weaker = 0;  // the threads that may release by a write of it, or write it without
  std::vector<std::uint64_t> values;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  std::vector<std::uint64_t> critical; // values that some label tells apart from the others
  bool all_critical = false;

  bool shared() const { return (threads & (threads - 1)) != 0 && (written || updated); }
  std::uint32_t number(std::uint64_t value);
};

class LocalStates {
public:
  // Hardware: fences are the machine's own and non-atomic accesses are plain ones. Lowered: a full fence should have
  // been lowered to an RMW of a location of its own, which is what it means under release/acquire. Orders: those of C.
  enum class Reading : std::uint8_t { Lowered, Hardware, Orders };
  // Without `critical_values` no two values of a location count as alike.
  LocalStates(const Bytecode& program, Reading reading, bool critical_values = true);

  std::uint32_t threads() const { return static_cast<std::uint32_t>(states_.size()); }
  std::uint32_t count(std::uint32_t thread) const { return static_cast<std::uint32_t>(states_[thread].size()); }
  std::size_t total() const;
  const LocalState& at(std::uint32_t thread, std::uint32_t number) const { return states_[thread][number]; }
  LocalState& at(std::uint32_t thread, std::uint32_t number) { return states_[thread][number]; }
  const std::vector<Location>& locations() const { return locations_; }
  const Machine& machine() const { return machine_; }
  std::uint32_t start(std::uint32_t thread) const { return starts_[thread]; }

  // Reading::Orders: a bit for each kind of fence that some thread has, see Rc11Layout.
  std::uint32_t fences() const { return fences_; }

  static const Successor* find(const LocalState& from, std::uint32_t key) {
    for (const Successor& s : from.successors)
      if (s.key == key) return &s;
    return nullptr;
  }

  // Whether a waiting read may go on with this value of its location.
  bool allows(const LocalState& s, std::uint32_t value) const {
    return machine_.satisfied(s.state, s.action, locations_[static_cast<std::size_t>(s.location)].values[value]);
  }

  // Runs the machine for one successor. `key` is a value number for reads, the offset from the low end for choices,
  // the new thread's number for a spawn, the local state of the other thread for a join, 0 otherwise.
  void compute(std::uint32_t thread, std::uint32_t number, std::uint32_t key, std::uint32_t other = 0);

  // Whether the thread goes round for ever whatever it reads: no end is in its known states, but a way back is.
  bool endless(std::uint32_t thread) const;

  // What the program did that the search cannot treat; empty where there is nothing.
  const std::string& unsupported() const { return unsupported_; }
  std::uint32_t unsupported_position() const { return unsupported_position_; }
  std::size_t bytes() const { return bytes_; }

private:
  std::uint32_t intern(std::uint32_t thread, ThreadState state);
  void classify(std::uint32_t thread, LocalState& s);
  std::int32_t touch(std::uint32_t thread, LocalState& s, std::uint64_t address, std::uint8_t size);
  void refuse(const char* what, std::uint32_t position);

  const Bytecode& program_;
  Machine machine_;
  Liveness liveness_;
  Reading reading_;
  bool critical_values_;
  std::uint32_t fences_ = 0;
  std::vector<std::vector<LocalState>> states_;
  std::vector<std::unordered_map<std::string, std::uint32_t>> numbers_;
  std::vector<std::uint32_t> starts_;
  std::vector<Location> locations_;
  std::unordered_map<std::uint64_t, std::int32_t> by_address_;
  std::string unsupported_;
  std::uint32_t unsupported_position_ = 0;
  std::size_t bytes_ = 0;
};

// Full fences order everything before them with everything after them; weaker ones add nothing where every access is
// release or acquire.
bool full_fence(FenceKind kind);

} // namespace fencepost::states
