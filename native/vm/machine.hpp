// Runs one thread of a program up to the next thing that another thread could notice. The slow twin is
// program/interpret.py, which explains the protocol: run gives an Action, reply answers it, run goes on.
#pragma once

#include "vm/arithmetic.hpp"
#include "vm/bytecode.hpp"
#include "vm/contract.hpp"
#include "vm/dependencies.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

namespace fencepost {

enum class ActionKind : std::uint8_t {
  Read,
  Write,
  Fence,
  Choose,
  Free,
  Spawn,
  Join,
  AtomicBegin,
  AtomicEnd,
  Block,
  Error,
  End
};

// What a Read is part of.
enum class Part : std::uint8_t { Load, Rmw, Cas, Await, BlockingCas, Exclusive };

inline bool waits(Part part) { return part == Part::Await || part == Part::BlockingCas; }
inline bool updates(Part part) { return part == Part::Rmw || part == Part::Cas || part == Part::BlockingCas; }

struct Action {
  ActionKind kind = ActionKind::End;
  Part part = Part::Load;
  Mode mode = Mode::Na;
  Mode failure = Mode::Na; // Read of a Cas: its mode where it fails
  FenceKind fence = FenceKind::Sc;
  ErrorKind error = ErrorKind::Assertion;
  std::uint8_t size = 0;
  bool rmw = false;              // Write: belongs to the Read just before it
  bool may_fail = false;         // Write: a store-conditional that may fail for no reason
  bool lock = false;             // Read: waits for a lock
  bool barrier = false;          // Read, Write: of an arrival at a barrier, or of the wait for the others
  bool spin = false;             // Block: an iteration without effect. Read or Block that waits: it was a loop
  bool noreturn = false;         // Read, Write: of a read-modify-write whose result goes nowhere
  bool alone = false;            // Block: a wait on memory that nobody else can reach, and no assume that failed
  bool shortcut = false;         // Block: a shorter way leads to the same state, so nothing is lost
  bool attempt = false;          // Block by a spin or a shortcut: an attempt in vain before it took back what it added
  bool silent = false;           // Block by a spin or a shortcut: no read of it can be an error
  bool undone = false;           // Block by a spin: the iteration added something and took it back
  bool kept = false;             // Block by a spin: the iteration stored what its thread had found there
  bool process = false;          // End: of the whole program
  std::int8_t foretold = -1;     // Read of a Cas: 0 or 1 where it comes out so, whatever it reads
  std::int32_t conditional = -1; // Write: a store-conditional; the program-order index of its load-reserve
  std::uint32_t made_by = 0;     // Free: of what malloc, new or new[] made
  std::uint32_t position = 0, string = 0;
  std::uint32_t loop = 0; // where `spin`: the position of the loop
  std::uint64_t address = 0;
  // Write: stored. End: result. Choose: low. Join: thread. Spawn: function index. Block that spins or waits: the
  // program-order index of the first event of the iteration, or of the next event
  std::uint64_t value = 0;
  std::uint64_t high = 0; // Choose. Block after an attempt in vain: the program-order index of its first event
  DepSet address_deps = 0, data_deps = 0, control_deps = 0;
  DepSet compared_deps = 0; // Read of a Cas, an Await or a BlockingCas: what it compares with comes from there
  const char* message = ""; // Error: a static text, beside the program's own in `string`

  // An assume that failed: this way was not meant to be taken, and who does not move here waits for nothing.
  bool assumed() const { return kind == ActionKind::Block && !spin && !alone && !shortcut; }
};

// Memory that a thread allocated and that others may see.
struct Allocation {
  std::uint64_t address, size;
  std::uint32_t position;
  bool heap, zeroed;
  std::uint32_t made_by; // of the flags: by_new, array
};

// Memory of a call, which ends with it: memory of the stack that others may see.
struct Live {
  std::uint64_t address, size;
  std::uint32_t depth;
};

// Everything a thread knows. A plain value: copying it is a snapshot.
struct ThreadState {
  std::uint32_t thread = 0, pc = 0, base = 0, depth = 0, function = 0;
  std::uint32_t events = 0; // actions answered so far: the next program-order index
  std::vector<std::uint64_t>
      stack;                // frames: saved pc, base, function, result register, private top; then the registers
  std::vector<DepSet> deps; // one per word of `stack`, where dependencies are tracked
  std::vector<std::uint64_t> unset; // the bits of each word of `stack` that nobody has written; empty: there are none
  DepSet control = 0;
  std::uint64_t private_top = layout::gap, stack_top = layout::gap, heap_top = layout::gap;
  std::vector<std::uint8_t> private_bytes, local_bytes;
  std::vector<std::uint8_t> private_unset, local_unset; // of these bytes; empty: there are none
  std::vector<DepSet> private_deps, local_deps;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> private_objects; // offset and size, in order
  std::vector<Allocation> allocations;
  std::vector<Live> live;           // those on the stack whose call has not returned, innermost last
  std::vector<std::uint64_t> ended; // sorted: where local variables begin whose block has ended
  struct Reservation {
    std::int32_t event = -1; // program-order index of the load-reserve
    std::uint32_t position = 0;
    std::uint64_t address = 0;
  };
  std::vector<Reservation> reserved; // one, or one for each piece of a load of mixed size
  bool write_pending = false;        // the second half of a read-modify-write comes next
  std::uint64_t pending_value = 0;
  DepSet pending_deps = 0, pending_control = 0;
  std::uint8_t piece = 0; // bytes of the current access that are done, where it is made in pieces
  std::uint64_t piece_value = 0;
  DepSet piece_deps = 0;
  std::uint32_t blocks = 0;  // atomic blocks that it is in, nested
  std::uint32_t effects = 0; // what a spin iteration must not contain
  std::uint32_t sums = 0;    // additions and subtractions; a spin iteration may contain some that undo each other
  std::uint64_t balance = 0; // their sum, hashed by address: what was added and taken back leaves it as it was
  std::uint32_t kept = 0;    // stores of what was there as far as the thread knows
  struct Known {
    std::uint64_t address = 0, value = 0;
    unsigned size = 0;
  };
  std::array<Known, 4> known; // what it last found or left at a few places, while it is in a loop
  std::uint8_t oldest = 0;    // of them
  struct Spin {
    std::uint32_t depth, effects, sums, kept, since; // since: the program-order index at which the iteration began
    std::uint64_t loop, hash, balance;
  };
  std::vector<Spin> spins;
};

inline std::span<const std::uint64_t> private_ended(const ThreadState& s) {
  const auto first = std::lower_bound(s.ended.begin(), s.ended.end(), layout::private_stack);
  return {first, s.ended.end()};
}

struct MachineLimits {
  std::uint32_t steps = 1'000'000; // instructions between two actions
  std::uint32_t depth = 1000;      // nested calls
  std::uint64_t memory = 1 << 26;  // bytes that one thread may allocate
  bool shortcuts = false;          // runs that lead nowhere end a thread: see Rounds
  bool old_values = false;         // others may read what was there before: see UndoneRounds
  bool keeps = false;              // an iteration may store what was there: see UndoneRounds
  bool races = true;               // a data race is an error
  bool ordered = false;            // graphs tell what is in order with what was left out: see UndoneRounds
  std::uint32_t prologue = 0; // from so many events on what comes before the first thread is not explored; 0: all is
};

// What a thread printed: format string and arguments, in order. Collected only on request.
struct Printed {
  std::uint32_t format, position;
  std::vector<std::uint64_t> args;
};

class Machine {
public:
  explicit Machine(const Bytecode& program, bool track_dependencies = false, MachineLimits limits = {});

  const Bytecode& program() const { return program_; }
  DependencyTable& dependencies() { return dependencies_; }
  bool tracks_dependencies() const { return track_; }

  ThreadState start(std::uint32_t thread, std::uint32_t function, const std::vector<std::uint64_t>& args) const;

  // Runs up to the next action. pre: the previous action was answered.
  Action run(ThreadState& state, std::vector<Printed>* output = nullptr);

  // Goes on past the head of a loop. pre: it stopped there.
  Action run_past(ThreadState& state) {
    FP_ASSERT(program_.code[state.pc].opcode == Opcode::SpinHead, "who goes on past a head should stand at one");
    ++state.pc;
    return run(state);
  }

  // Answers `action` with what a read read, a choice chose, a join received, a spawn started.
  void reply(ThreadState& state, const Action& action, std::uint64_t value);

  // Whether this value lets a waiting read go on. pre: `action` is a Read of `state`.
  bool satisfied(const ThreadState& state, const Action& action, std::uint64_t value) const;

  // What an Await waits for: an operation, its bits, a mask and an operand. pre: `state` stands at one.
  std::array<std::uint64_t, 4> waits_for(const ThreadState& state) const;

  // The arguments of a Spawn. pre: `action` is a Spawn of `state`.
  std::vector<std::uint64_t> spawn_arguments(const ThreadState& state) const;

  // The register of the thread's first function, once it has ended.
  static std::uint64_t first_register(const ThreadState& state, std::uint32_t index) {
    FP_ASSERT(header + index < state.stack.size(), "a register of the first function should be on the stack");
    return state.stack[header + index];
  }

private:
  static constexpr std::uint32_t header = 5;

  std::uint64_t value(const ThreadState& s, OperandRef r) const {
    FP_ASSERT(r != no_operand, "an operand should be there");
    FP_ASSERT(r < 0 || s.base + static_cast<std::uint32_t>(r) < s.stack.size(), "a register should be on the stack");
    FP_ASSERT(r >= 0 || static_cast<std::size_t>(~r) < program_.constants.size(), "a constant should be in its table");
    return r >= 0 ? s.stack[s.base + static_cast<std::uint32_t>(r)] : program_.constants[static_cast<std::size_t>(~r)];
  }
  DepSet deps(const ThreadState& s, OperandRef r) const {
    return track_ && r >= 0 ? s.deps[s.base + static_cast<std::uint32_t>(r)] : 0;
  }
  DepSet join(DepSet a, DepSet b) { return track_ ? dependencies_.join(a, b) : 0; }
  void set(ThreadState& s, std::int32_t reg, std::uint64_t v, DepSet d) const {
    if (reg < 0) return;
    FP_ASSERT(s.base + static_cast<std::uint32_t>(reg) < s.stack.size(), "a result should have a register");
    FP_ASSERT(!track_ || s.deps.size() == s.stack.size(), "each word of the stack should have its dependencies");
    s.stack[s.base + static_cast<std::uint32_t>(reg)] = v;
    if (track_) s.deps[s.base + static_cast<std::uint32_t>(reg)] = d;
    if (!s.unset.empty()) s.unset[s.base + static_cast<std::uint32_t>(reg)] = 0;
  }

  // Bits that nobody has written: of an operand, and noted of a result that was just set.
  static std::uint64_t unset(const ThreadState& s, OperandRef r) {
    return s.unset.empty() || r < 0 ? 0 : s.unset[s.base + static_cast<std::uint32_t>(r)];
  }
  static void mark_unset(ThreadState& s, std::int32_t reg, std::uint64_t bits) {
    if (!bits || reg < 0) return;
    s.unset.resize(s.stack.size());
    s.unset[s.base + static_cast<std::uint32_t>(reg)] = bits;
  }
  std::uint64_t computes_unset(const ThreadState& s, const Instruction& i) const;
  static std::uint64_t unset_in_memory(const ThreadState& s, std::uint64_t address, unsigned size);
  static void write_unset(ThreadState& s, std::uint64_t address, unsigned size, std::uint64_t bits);
  void scope(ThreadState& s, const Instruction& i) const;
  static void forget_ended(ThreadState& s);
  bool undecided(const ThreadState& s, const Instruction& i, Action& out) const;

  void push_frame(ThreadState& s, std::uint32_t function, std::int32_t result) const;
  bool step(ThreadState& s, Action& out, std::vector<Printed>* output);
  bool call(ThreadState& s, const Instruction& i, Action& out);
  bool leave(ThreadState& s, const Instruction& i, Action& out);
  bool visible(ThreadState& s, const Instruction& i, Action& out);
  bool store_conditional(ThreadState& s, const Instruction& i, Action& out);
  void reserve(ThreadState& s, const Instruction& i, std::uint64_t address, std::int32_t number) const;
  bool private_fault(const ThreadState& s, const Instruction& i, std::uint64_t address, Action& out) const;
  bool private_access(ThreadState& s, const Instruction& i, std::uint64_t address, Action& out);
  bool atomic_block(ThreadState& s, const Instruction& i, Action& out) const;
  bool spins(ThreadState& s, const Instruction& i, Action& out) const;
  void remember(ThreadState& s, const Action& action, std::uint64_t v) const;
  bool allocate(ThreadState& s, const Instruction& i, Action& out);
  bool fault(Action& out, const Instruction& i, ErrorKind kind, const char* message) const;
  bool memory_fault(const ThreadState& s, const Instruction& i, std::uint64_t address, Action& out) const;
  bool misaligned(const Instruction& i, std::uint64_t address, Action& out) const;
  bool cut(const ThreadState& s, const Instruction& i, Action& out) const;
  bool next_piece(ThreadState& s, const Instruction& i, const Action& action, std::uint64_t v, DepSet self);
  DepSet waiting_deps(const ThreadState& s, const Instruction& i);
  void second_half(ThreadState& s, std::uint64_t new_value, DepSet deps) const;
  std::uint8_t* private_memory(ThreadState& s, std::uint64_t address, unsigned size, DepSet** deps);

  const Bytecode& program_;
  bool track_;
  MachineLimits limits_;
  std::vector<std::uint8_t> local_image_; // thread-local memory as every thread first finds it
  DependencyTable dependencies_;
};

} // namespace fencepost
