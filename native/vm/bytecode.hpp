// The program as the core runs it: decoded once from the words that program/encode.py wrote.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fencepost {

// Thrown on a program that the encoder should never have produced. User errors are never reported this way.
struct DecodeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The enumerations below are numbered as in program/instructions.py; names.cpp lists them and a test compares.
enum class Opcode : std::uint8_t {
  Compute,
  Jump,
  Branch,
  Switch,
  Call,
  Return,
  Exit,
  Load,
  Store,
  StoreConditional,
  Rmw,
  Cas,
  Await,
  BlockingCas,
  Fence,
  AtomicBegin,
  AtomicEnd,
  Assert,
  Assume,
  Fail,
  Choose,
  Print,
  SpinHead,
  Alloca,
  Malloc,
  Free,
  Spawn,
  Join,
  Self,
  Sync,
  ThreadLocalAddress,
  Scope
};

enum class Mode : std::uint8_t { Na, Rlx, AcqPc, Acq, Rel, AcqRel, Sc };

inline bool acquires(Mode m) { return m == Mode::Acq || m == Mode::AcqPc || m == Mode::AcqRel || m == Mode::Sc; }
inline bool releases(Mode m) { return m == Mode::Rel || m == Mode::AcqRel || m == Mode::Sc; }

enum class FenceKind : std::uint8_t {
  Acq,
  Rel,
  AcqRel,
  Sc,
  Sync,
  Lwsync,
  Isync,
  Eieio,
  Mfence,
  Lfence,
  Sfence,
  DmbSy,
  DmbLd,
  DmbSt,
  DsbSy,
  DsbLd,
  DsbSt,
  Isb,
  FenceRR,
  FenceRW,
  FenceRRW,
  FenceWR,
  FenceWW,
  FenceWRW,
  FenceRWR,
  FenceRWW,
  FenceRWRW,
  FenceTso,
  FenceI,
  Mb,
  Rmb,
  Wmb,
  Barrier,
  BeforeAtomic,
  AfterAtomic,
  AfterSpinlock,
  AfterUnlockLock,
  AfterSrcuReadUnlock,
  RcuLock,
  RcuUnlock,
  SyncRcu
};

enum class Op : std::uint8_t {
  Mov,
  Add,
  Sub,
  Mul,
  And,
  Or,
  Xor,
  Shl,
  Lshr,
  Udiv,
  Urem,
  Eq,
  Ne,
  Ult,
  Ule,
  Ugt,
  Uge,
  Select,
  Sext,
  Ashr,
  Sdiv,
  Srem,
  Slt,
  Sle,
  Sgt,
  Sge,
  Fadd,
  Fsub,
  Fmul,
  Fdiv,
  Frem,
  Fneg,
  Foeq,
  Folt,
  Fole,
  Ford,
  FromSigned,
  FromUnsigned,
  ToSigned,
  ToUnsigned,
  FloatToDouble,
  DoubleToFloat,
  Fsqrt,
  Ffloor,
  Fceil,
  Ftrunc,
  Frint,
  Fround,
  Fexp,
  Flog,
  Fsin,
  Fcos,
  Ftan,
  Fatan,
  Fpow,
  Fatan2
};

enum class RmwOp : std::uint8_t { Xchg, Add, Sub, And, Or, Xor, Nand, Max, Min, Umax, Umin };

enum class ErrorKind : std::uint8_t {
  Assertion,
  Race,
  Uninitialised,
  OutOfBounds,
  Null,
  UseAfterFree,
  DoubleFree,
  InvalidFree,
  Leak,
  Deadlock,
  Liveness,
  MixedSize,
  Misaligned,
  Unlock,
  Division,
  Arithmetic,
  BadCall,
  BadJoin,
  Abort,
  StackOverflow,
  Overflow,
  Shift,
  FloatCast,
  Bounds,
  MissingReturn,
  InvalidValue,
  Constant,
  Overlap,
  LoopBound,
  StepBound,
  EventBound,
  ThreadBound,
  Unsupported,
  LeftOut,
  NotRobust
};

namespace flag {
inline constexpr std::uint32_t exclusive = 1, weak = 2, may_fail = 4, lock = 8, private_memory = 16, zeroed = 32,
                               process = 64, spin = 128, undoes = 256, copies = 512, check = 1024, alternative = 2048,
                               picks = 4096, noreturn = 8192, barrier = 16384, forgets = 32768, unset = 65536,
                               by_new = 131072, array = 262144, ends = 524288;
}

namespace layout { // see program/layout.py
inline constexpr std::uint64_t globals = 0x1'0000, stack = 0x1000'0000'0000, heap = 0x2000'0000'0000,
                               private_stack = 0x3000'0000'0000, thread_local_memory = 0x4000'0000'0000,
                               functions = 0x7000'0000'0000, region_mask = 0x7000'0000'0000, gap = 16;
inline constexpr int thread_shift = 32;
inline constexpr int max_threads = 4096;
inline std::uint64_t region(std::uint64_t address) { return address & region_mask; }
inline int owner(std::uint64_t address) { return static_cast<int>(address >> thread_shift & 0xFFF); }
} // namespace layout

// An operand: a register index, the complement of an index into the constants, or `none`.
using OperandRef = std::int32_t;
inline constexpr OperandRef no_operand = INT32_MIN;
inline constexpr std::int32_t no_register = -1;

struct Instruction {
  Opcode opcode;
  std::uint8_t width; // bits for Compute, bytes for accesses
  std::uint8_t sub;   // Op, RmwOp, FenceKind, ErrorKind, SyncOp by opcode
  Mode mode, failure;
  std::uint32_t flags;
  std::int32_t dst, dst2;
  OperandRef use[4];
  std::uint32_t extra, extra_count; // into Bytecode::extra: operand references, or cases and targets of a Switch
  std::uint32_t target[2];
  std::uint32_t string, position;
  std::uint64_t number; // alignment of allocations, loop of a SpinHead, base of a ThreadLocalAddress
};

// Whether it changes a place by a sum, whatever is there.
inline bool adds(const Instruction& i) {
  const auto op = static_cast<RmwOp>(i.sub);
  return i.opcode == Opcode::Rmw && (op == RmwOp::Add || op == RmwOp::Sub);
}

// How memory is made, or who frees it: by malloc (0), new or new[].
inline std::uint32_t made_by(const Instruction& i) { return i.flags & (flag::by_new | flag::array); }

struct Function {
  std::uint32_t name, registers, parameters, start, length;
  bool variadic;
};

struct Object {
  std::uint32_t name;
  std::uint64_t address, size;
  bool thread_local_, constant;
};

struct StaticThread {
  std::uint32_t name, function;
  std::vector<std::uint64_t> args;
};

// What to record of a complete execution: a register of a static thread's first function, or final memory.
struct Observation {
  bool memory;
  std::uint64_t where; // thread index or address
  std::uint32_t what;  // register index or size in bytes
};

struct Bytecode {
  std::vector<Object> objects; // shared ones sorted by address, then thread-local ones
  std::vector<Function> functions;
  std::vector<StaticThread> threads;
  std::vector<Observation> observations;
  std::vector<std::pair<std::uint64_t, std::uint8_t>> initial, initial_local; // sorted by address; other bytes are 0
  std::vector<std::uint64_t> constants;
  std::vector<std::int64_t> extra;
  std::vector<Instruction> code; // of all functions; a pc is an index into it, and so are jump targets
  std::vector<std::string> strings;
  std::vector<std::uint64_t> cuts; // sorted addresses: a plain access that reaches across one is made in pieces
};

// Throws DecodeError where the words are not an encoding.
Bytecode decode(std::span<const std::int64_t> words, std::vector<std::string> strings);

// The names of the enumerations above, in order, as {enumeration, names}.
std::vector<std::pair<std::string, std::vector<std::string>>> enumeration_names();

// The initial value of `size` bytes of shared memory.
std::uint64_t initial_value(const Bytecode& program, std::uint64_t address, unsigned size);

// The object that holds an address, or null. Only shared global objects.
const Object* find_object(const Bytecode& program, std::uint64_t address);

} // namespace fencepost
