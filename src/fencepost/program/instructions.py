"""The instructions of a Program.

Every instruction is a frozen dataclass. The *role* of each field (defines a register, uses an operand, is a
jump target, is an attribute) is declared once, here; the printer, the reader, the validator and the encoder all
work from the roles, so a new instruction is one class in this file plus its meaning in the two machines
(`program/interpret.py` and `native/vm`).

Registers hold 64 bits. An operation of width w reads the low w bits of its operands and leaves its result
zero-extended; comparisons leave 0 or 1. A load of n bytes leaves the value zero-extended.
"""

from __future__ import annotations

from dataclasses import Field as DataclassField
from dataclasses import field, fields
from enum import Enum
from typing import Any, ClassVar

from fencepost.program.datatypes import DataType
from fencepost.program.operands import Operand, Position, Reg
from fencepost.records import dataclass


class Mode(Enum):
    """Memory order of an access. Under hardware models NA and RLX are plain accesses, ACQ is LDAR or .aq, ACQ_PC is
    LDAPR, REL is STLR or .rl, and ACQ_REL or SC is .aqrl."""

    NA = "na"
    RLX = "rlx"
    ACQ_PC = "acq_pc"
    ACQ = "acq"
    REL = "rel"
    ACQ_REL = "acq_rel"
    SC = "sc"

    @property
    def acquires(self) -> bool:
        return self in (Mode.ACQ, Mode.ACQ_PC, Mode.ACQ_REL, Mode.SC)

    @property
    def releases(self) -> bool:
        return self in (Mode.REL, Mode.ACQ_REL, Mode.SC)


_RISCV_SETS = ("r", "w", "rw")


class FenceKind(Enum):
    """C11 fences by mode, then each architecture's own. `fence.P.S` is RISC-V's fence with its two sets. From MB on
    those of the Linux kernel, with the borders of RCU's critical sections and its grace period."""

    ACQ = "acq"
    REL = "rel"
    ACQ_REL = "acq_rel"
    SC = "sc"
    SYNC = "sync"
    LWSYNC = "lwsync"
    ISYNC = "isync"
    EIEIO = "eieio"
    MFENCE = "mfence"
    LFENCE = "lfence"
    SFENCE = "sfence"
    DMB_SY = "dmb.sy"
    DMB_LD = "dmb.ld"
    DMB_ST = "dmb.st"
    DSB_SY = "dsb.sy"
    DSB_LD = "dsb.ld"
    DSB_ST = "dsb.st"
    ISB = "isb"
    FENCE_R_R = "fence.r.r"
    FENCE_R_W = "fence.r.w"
    FENCE_R_RW = "fence.r.rw"
    FENCE_W_R = "fence.w.r"
    FENCE_W_W = "fence.w.w"
    FENCE_W_RW = "fence.w.rw"
    FENCE_RW_R = "fence.rw.r"
    FENCE_RW_W = "fence.rw.w"
    FENCE_RW_RW = "fence.rw.rw"
    FENCE_TSO = "fence.tso"
    FENCE_I = "fence.i"
    MB = "mb"
    RMB = "rmb"
    WMB = "wmb"
    BARRIER = "barrier"
    BEFORE_ATOMIC = "before_atomic"
    AFTER_ATOMIC = "after_atomic"
    AFTER_SPINLOCK = "after_spinlock"
    AFTER_UNLOCK_LOCK = "after_unlock_lock"
    AFTER_SRCU_READ_UNLOCK = "after_srcu_read_unlock"
    RCU_LOCK = "rcu_lock"
    RCU_UNLOCK = "rcu_unlock"
    SYNC_RCU = "sync_rcu"


#: Those that only the Linux kernel has.
KERNEL_FENCES = frozenset(k for i, k in enumerate(FenceKind) if i >= list(FenceKind).index(FenceKind.MB))


class Tag(Enum):
    """What an access is, besides its mode, to models that ask. NORETURN: a read-modify-write whose result goes nowhere
    (STADD, atomic_add). The others are the Linux kernel's. CMPXCHG: its read is known where it failed, too. LOCK and
    UNLOCK: of a spinlock. SRCU: reading is srcu_read_lock, writing srcu_read_unlock; SYNC_SRCU: synchronize_srcu, a
    read that stands for its location only."""

    NONE = "none"
    NORETURN = "noreturn"
    CMPXCHG = "cmpxchg"
    LOCK = "lock"
    UNLOCK = "unlock"
    SRCU = "srcu"
    SYNC_SRCU = "sync_srcu"


class Op(Enum):
    """Operations on registers. From SEXT on operands are signed; the f group reads IEEE floats of the width."""

    MOV = "mov"
    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    AND = "and"
    OR = "or"
    XOR = "xor"
    SHL = "shl"
    LSHR = "lshr"
    UDIV = "udiv"
    UREM = "urem"
    EQ = "eq"
    NE = "ne"
    ULT = "ult"
    ULE = "ule"
    UGT = "ugt"
    UGE = "uge"
    SELECT = "select"
    SEXT = "sext"  # sign-extend from `width` bits to 64
    ASHR = "ashr"
    SDIV = "sdiv"
    SREM = "srem"
    SLT = "slt"
    SLE = "sle"
    SGT = "sgt"
    SGE = "sge"
    FADD = "fadd"
    FSUB = "fsub"
    FMUL = "fmul"
    FDIV = "fdiv"
    FREM = "frem"
    FNEG = "fneg"
    FOEQ = "foeq"
    FOLT = "folt"
    FOLE = "fole"
    FORD = "ford"  # neither operand is NaN
    FROM_SIGNED = "from_signed"  # 64-bit signed integer to float of the width
    FROM_UNSIGNED = "from_unsigned"
    TO_SIGNED = "to_signed"  # float of the width to 64-bit signed integer, towards zero
    TO_UNSIGNED = "to_unsigned"
    FLOAT_TO_DOUBLE = "float_to_double"
    DOUBLE_TO_FLOAT = "double_to_float"
    FSQRT = "fsqrt"
    FFLOOR = "ffloor"
    FCEIL = "fceil"
    FTRUNC = "ftrunc"
    FRINT = "frint"  # to the nearest integer, ties to even; fround: ties away from zero
    FROUND = "fround"
    FEXP = "fexp"
    FLOG = "flog"
    FSIN = "fsin"
    FCOS = "fcos"
    FTAN = "ftan"
    FATAN = "fatan"
    FPOW = "fpow"
    FATAN2 = "fatan2"


_UNARY = (Op.MOV, Op.SEXT, Op.FNEG, Op.FROM_SIGNED, Op.FROM_UNSIGNED, Op.TO_SIGNED, Op.TO_UNSIGNED)
_CONVERSIONS = (Op.FLOAT_TO_DOUBLE, Op.DOUBLE_TO_FLOAT)
#: What <math.h> computes from one number.
FUNCTIONS_OF_ONE = (
    Op.FSQRT, Op.FFLOOR, Op.FCEIL, Op.FTRUNC, Op.FRINT, Op.FROUND, Op.FEXP, Op.FLOG, Op.FSIN, Op.FCOS, Op.FTAN,
    Op.FATAN,
)  # fmt: skip
ARITY = dict.fromkeys(Op, 2) | dict.fromkeys(_UNARY + _CONVERSIONS + FUNCTIONS_OF_ONE, 1) | {Op.SELECT: 3}

COMPARISONS = frozenset(
    {Op.EQ, Op.NE, Op.ULT, Op.ULE, Op.UGT, Op.UGE, Op.SLT, Op.SLE, Op.SGT, Op.SGE, Op.FOEQ, Op.FOLT, Op.FOLE, Op.FORD}
)


class RmwOp(Enum):
    XCHG = "xchg"
    ADD = "add"
    SUB = "sub"
    AND = "and"
    OR = "or"
    XOR = "xor"
    NAND = "nand"
    MAX = "max"
    MIN = "min"
    UMAX = "umax"
    UMIN = "umin"


class ErrorKind(Enum):
    """What an execution can run into. `value` is the name used in JSON, in options and in messages."""

    ASSERTION = "assertion"
    RACE = "race"
    UNINITIALISED = "uninitialised-read"
    OUT_OF_BOUNDS = "out-of-bounds"
    NULL = "null-dereference"
    USE_AFTER_FREE = "use-after-free"
    DOUBLE_FREE = "double-free"
    INVALID_FREE = "invalid-free"
    LEAK = "leak"
    DEADLOCK = "deadlock"
    LIVENESS = "liveness"
    MIXED_SIZE = "mixed-size"
    MISALIGNED = "misaligned-access"
    UNLOCK = "unlock-not-held"
    DIVISION = "division-by-zero"
    ARITHMETIC = "undefined-arithmetic"
    BAD_CALL = "bad-call"
    BAD_JOIN = "bad-join"
    ABORT = "abort"
    STACK_OVERFLOW = "stack-overflow"
    OVERFLOW = "signed-integer-overflow"
    SHIFT = "shift"
    FLOAT_CAST = "float-cast-overflow"
    BOUNDS = "array-bounds"
    MISSING_RETURN = "missing-return"
    INVALID_VALUE = "invalid-value"
    CONSTANT = "write-to-constant"
    OVERLAP = "overlapping-copy"
    LOOP_BOUND = "loop-bound"
    STEP_BOUND = "step-bound"
    EVENT_BOUND = "event-bound"
    THREAD_BOUND = "thread-bound"
    UNSUPPORTED = "unsupported"
    LEFT_OUT = "left-out"  # what comes after an iteration that was left out, though others saw what it did
    NOT_ROBUST = "not-robust"  # of a whole program, never of one execution: it does what a stronger model forbids


#: These are not faults of the program: they say that our knowledge ends here, so the verdict is UNKNOWN.
BOUNDS = frozenset({
    ErrorKind.LOOP_BOUND, ErrorKind.STEP_BOUND, ErrorKind.EVENT_BOUND, ErrorKind.THREAD_BOUND,
    ErrorKind.UNSUPPORTED, ErrorKind.MIXED_SIZE, ErrorKind.LEFT_OUT,
})  # fmt: skip


#: What an execution can run into that is the program's fault.
FAULTS = tuple(kind for kind in ErrorKind if kind not in BOUNDS and kind is not ErrorKind.NOT_ROBUST)


#: An execution goes on after these, or has ended anyway: to ignore one hides nothing but itself.
GOES_ON = frozenset({
    ErrorKind.RACE, ErrorKind.UNINITIALISED, ErrorKind.LEAK, ErrorKind.DEADLOCK, ErrorKind.LIVENESS, ErrorKind.ABORT,
})  # fmt: skip


class SyncOp(Enum):
    """Library synchronisation. `program/passes/synchronisation.py` turns each into reads, writes and awaits on the
    memory of the object; only that pass knows the layout of a mutex, a barrier and so on."""

    MUTEX_INIT = "mutex_init"  # address, kind (0 normal, 1 recursive, 2 error-checking)
    MUTEX_LOCK = "mutex_lock"  # address -> error code
    MUTEX_TRYLOCK = "mutex_trylock"  # address -> error code
    MUTEX_UNLOCK = "mutex_unlock"  # address -> error code
    MUTEX_DESTROY = "mutex_destroy"
    RWLOCK_INIT = "rwlock_init"
    RWLOCK_RDLOCK = "rwlock_rdlock"
    RWLOCK_WRLOCK = "rwlock_wrlock"
    RWLOCK_TRYRDLOCK = "rwlock_tryrdlock"
    RWLOCK_TRYWRLOCK = "rwlock_trywrlock"
    RWLOCK_UNLOCK = "rwlock_unlock"
    COND_INIT = "cond_init"
    COND_WAIT = "cond_wait"  # condition, mutex
    COND_TIMEDWAIT = "cond_timedwait"  # condition, mutex: may also time out
    COND_SIGNAL = "cond_signal"
    COND_BROADCAST = "cond_broadcast"
    BARRIER_INIT = "barrier_init"  # address, count
    BARRIER_WAIT = "barrier_wait"  # address -> 1 for one of the threads, 0 for the others
    BARRIER_DESTROY = "barrier_destroy"
    SEM_INIT = "sem_init"  # address, count
    SEM_WAIT = "sem_wait"
    SEM_TRYWAIT = "sem_trywait"
    SEM_POST = "sem_post"
    SEM_GETVALUE = "sem_getvalue"
    ONCE = "once"  # control word, function; where that may throw, the address of a word that is not 0 when it did


class Role(Enum):
    DEFINE = "define"
    USE = "use"
    USES = "uses"
    TARGET = "target"
    TARGETS = "targets"
    ATTRIBUTE = "attribute"


def _define(**extra: Any) -> Any:
    return field(metadata={"role": Role.DEFINE}, **extra)


def _use(**extra: Any) -> Any:
    return field(metadata={"role": Role.USE}, **extra)


def _uses(**extra: Any) -> Any:
    return field(metadata={"role": Role.USES}, **extra)


def _target() -> Any:
    return field(metadata={"role": Role.TARGET})


def _targets() -> Any:
    return field(metadata={"role": Role.TARGETS})


def _attribute(type_: Any, **extra: Any) -> Any:
    """`type_` is int, bool, str, an Enum, DataType or Position: how the text form reads it back."""
    return field(metadata={"role": Role.ATTRIBUTE, "type": type_}, **extra)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """The common part: where in the source it stood."""

    mnemonic: ClassVar[str] = ""
    at: Position | None = field(default=None, metadata={"role": None})


def roles(kind: type[Instruction]) -> tuple[DataclassField[Any], ...]:
    """The fields of an instruction class with a role, in order."""
    return tuple(f for f in fields(kind) if f.metadata.get("role") is not None)


# --- registers and control -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Compute(Instruction):
    """dst := op(args) at `width` bits. Division by zero is an error of kind DIVISION."""

    mnemonic: ClassVar[str] = "compute"
    dst: Reg = _define()
    args: tuple[Operand, ...] = _uses()
    op: Op = _attribute(Op)
    width: int = _attribute(int, default=64)


@dataclass(frozen=True, slots=True)
class Jump(Instruction):
    mnemonic: ClassVar[str] = "jump"
    target: int = _target()


@dataclass(frozen=True, slots=True)
class Branch(Instruction):
    """Any nonzero condition is true."""

    mnemonic: ClassVar[str] = "branch"
    condition: Operand = _use()
    then: int = _target()
    otherwise: int = _target()


@dataclass(frozen=True, slots=True)
class Switch(Instruction):
    """Jumps to targets[i] where value equals cases[i] (64-bit), else to `default`."""

    mnemonic: ClassVar[str] = "switch"
    value: Operand = _use()
    cases: tuple[Operand, ...] = _uses()
    targets: tuple[int, ...] = _targets()
    default: int = _target()


@dataclass(frozen=True, slots=True)
class Call(Instruction):
    mnemonic: ClassVar[str] = "call"
    dst: Reg | None = _define()
    callee: Operand = _use()
    args: tuple[Operand, ...] = _uses()


@dataclass(frozen=True, slots=True)
class Return(Instruction):
    """From the first function of a thread it ends the thread; `value` is what a join receives."""

    mnemonic: ClassVar[str] = "return"
    value: Operand | None = _use(default=None)


@dataclass(frozen=True, slots=True)
class Exit(Instruction):
    """Ends the thread from any depth (pthread_exit); with `process`, the whole program (exit)."""

    mnemonic: ClassVar[str] = "exit"
    value: Operand | None = _use(default=None)
    process: bool = _attribute(bool, default=False)


# --- shared memory ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Load(Instruction):
    """`exclusive`: a load-reserve (lwarx, LDXR, lr) that arms the thread's reservation. `copies`: the value only goes
    to other memory (memcpy, realloc), so that nobody has written it is no error. `volatile`: a plain access that the
    source calls so; the pass `volatile` makes of it what the user takes it for."""

    mnemonic: ClassVar[str] = "load"
    dst: Reg = _define()
    address: Operand = _use()
    size: int = _attribute(int, default=8)
    mode: Mode = _attribute(Mode, default=Mode.RLX)
    exclusive: bool = _attribute(bool, default=False)
    copies: bool = _attribute(bool, default=False)
    tag: Tag = _attribute(Tag, default=Tag.NONE)
    volatile: bool = _attribute(bool, default=False)


@dataclass(frozen=True, slots=True)
class Store(Instruction):
    mnemonic: ClassVar[str] = "store"
    address: Operand = _use()
    value: Operand = _use()
    size: int = _attribute(int, default=8)
    mode: Mode = _attribute(Mode, default=Mode.RLX)
    tag: Tag = _attribute(Tag, default=Tag.NONE)
    volatile: bool = _attribute(bool, default=False)


@dataclass(frozen=True, slots=True)
class StoreConditional(Instruction):
    """Writes if the thread's reservation is for this address and nobody wrote in between. `dst` becomes 1 where it
    wrote and 0 where it did not. `may_fail` adds the execution in which it fails for no reason."""

    mnemonic: ClassVar[str] = "store_conditional"
    dst: Reg = _define()
    address: Operand = _use()
    value: Operand = _use()
    size: int = _attribute(int, default=8)
    mode: Mode = _attribute(Mode, default=Mode.RLX)
    may_fail: bool = _attribute(bool, default=True)


@dataclass(frozen=True, slots=True)
class Rmw(Instruction):
    """dst := old value; memory := op(old, value), atomically."""

    mnemonic: ClassVar[str] = "rmw"
    dst: Reg | None = _define()
    address: Operand = _use()
    value: Operand = _use()
    op: RmwOp = _attribute(RmwOp)
    size: int = _attribute(int, default=8)
    mode: Mode = _attribute(Mode, default=Mode.RLX)
    tag: Tag = _attribute(Tag, default=Tag.NONE)


@dataclass(frozen=True, slots=True)
class Cas(Instruction):
    """Compare-exchange. `old` receives the value read, `success` 1 or 0. `weak`: may fail for no reason,
    which the pass `weak_cas` makes visible. AArch64 leaves two things open: where the comparison succeeds, `old` may
    come from memory or from `expected`; where it fails, nothing is written, or what was read. `alternative`: the second
    of both."""

    mnemonic: ClassVar[str] = "cas"
    old: Reg | None = _define()
    success: Reg | None = _define()
    address: Operand = _use()
    expected: Operand = _use()
    desired: Operand = _use()
    size: int = _attribute(int, default=8)
    mode: Mode = _attribute(Mode, default=Mode.RLX)
    failure: Mode = _attribute(Mode, default=Mode.RLX)
    weak: bool = _attribute(bool, default=False)
    tag: Tag = _attribute(Tag, default=Tag.NONE)
    alternative: bool = _attribute(bool, default=False)


@dataclass(frozen=True, slots=True)
class Await(Instruction):
    """Reads until `(value & mask) op operand` holds, without an event for the reads that failed; blocks the thread
    while nothing satisfies it. `spin`: where the loop of the program stands that this was; to wait there for ever is a
    violation of liveness and not a deadlock."""

    mnemonic: ClassVar[str] = "await"
    dst: Reg | None = _define()
    address: Operand = _use()
    operand: Operand = _use()
    mask: Operand | None = _use(default=None)
    op: Op = _attribute(Op, default=Op.EQ)
    size: int = _attribute(int, default=8)
    mode: Mode = _attribute(Mode, default=Mode.RLX)
    spin: Position | None = _attribute(Position, default=None)


@dataclass(frozen=True, slots=True)
class BlockingCas(Instruction):
    """Waits until the location holds `expected`, then writes `desired`, atomically (BCAS). `lock`: this is how a lock
    is taken, so a thread that blocks here is waiting for a lock. `spin`: as for Await."""

    mnemonic: ClassVar[str] = "blocking_cas"
    address: Operand = _use()
    expected: Operand = _use()
    desired: Operand = _use()
    size: int = _attribute(int, default=8)
    mode: Mode = _attribute(Mode, default=Mode.RLX)
    lock: bool = _attribute(bool, default=False)
    spin: Position | None = _attribute(Position, default=None)
    tag: Tag = _attribute(Tag, default=Tag.NONE)


@dataclass(frozen=True, slots=True)
class Fence(Instruction):
    mnemonic: ClassVar[str] = "fence"
    kind: FenceKind = _attribute(FenceKind)


@dataclass(frozen=True, slots=True)
class AtomicBegin(Instruction):
    """Until the matching AtomicEnd no other thread takes a step (`__VERIFIER_atomic_begin`)."""

    mnemonic: ClassVar[str] = "atomic_begin"


@dataclass(frozen=True, slots=True)
class AtomicEnd(Instruction):
    mnemonic: ClassVar[str] = "atomic_end"


# --- properties and nondeterminism -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assert(Instruction):
    """`check`: what the language forbids is looked for here, and the program itself does not test it. So it is no
    branch: what follows does not depend on it, and without it (`--ignore`) the program goes on."""

    mnemonic: ClassVar[str] = "assert"
    condition: Operand = _use()
    message: str = _attribute(str, default="")
    kind: ErrorKind = _attribute(ErrorKind, default=ErrorKind.ASSERTION)
    check: bool = _attribute(bool, default=False)


@dataclass(frozen=True, slots=True)
class Assume(Instruction):
    """Blocks the thread for good where the condition is 0. Such an execution is blocked, not complete, and no error."""

    mnemonic: ClassVar[str] = "assume"
    condition: Operand = _use()


@dataclass(frozen=True, slots=True)
class Fail(Instruction):
    """Reaching it is an error of this kind; with a kind in BOUNDS it says that our knowledge ends here. `rounds`: how
    often the loop whose bound this is may go round (0: it is no such bound)."""

    mnemonic: ClassVar[str] = "fail"
    kind: ErrorKind = _attribute(ErrorKind)
    message: str = _attribute(str, default="")
    rounds: int = _attribute(int, default=0)


@dataclass(frozen=True, slots=True)
class Choose(Instruction):
    """dst := any value in low..high, both included, read as signed. `open`: the range is that of a type, and too wide
    to try every value; the pass `nondet` finds those that matter, or takes those that the user names."""

    mnemonic: ClassVar[str] = "choose"
    dst: Reg = _define()
    low: Operand = _use()
    high: Operand = _use()
    open: bool = _attribute(bool, default=False)


@dataclass(frozen=True, slots=True)
class Print(Instruction):
    """What the program prints, shown in the witness. `format` is C's."""

    mnemonic: ClassVar[str] = "print"
    args: tuple[Operand, ...] = _uses()
    format: str = _attribute(str)


@dataclass(frozen=True, slots=True)
class SpinHead(Instruction):
    """Stands at the head of a loop that may spin. Reaching it twice in a frame with the same values of `live` (what the
    loop and its continuation can still read; other registers do not count) and the same private memory, and no write
    or RMW event in between (but for an RMW that wrote what it read), is an iteration without effect: the thread blocks.
    A fence is none: the next iteration has it too. `undoes`: what an iteration added (fetch_add) and took back is no
    effect either; the engine must then say so where another thread saw it in between."""

    mnemonic: ClassVar[str] = "spin_head"
    live: tuple[Operand, ...] = _uses()
    loop: int = _attribute(int)
    undoes: bool = _attribute(bool, default=False)


# --- threads, private and dynamic memory, library synchronisation -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Alloca(Instruction):
    """Stack memory. `private`: no other thread ever sees its address, so its accesses are not events."""

    mnemonic: ClassVar[str] = "alloca"
    dst: Reg = _define()
    size: Operand = _use()
    align: int = _attribute(int, default=8)
    private: bool = _attribute(bool, default=False)
    name: str = _attribute(str, default="")
    type: DataType | None = _attribute(DataType, default=None)


@dataclass(frozen=True, slots=True)
class ThreadLocalAddress(Instruction):
    """dst := the address of this thread's copy of a thread-local object (which no other operand may name)."""

    mnemonic: ClassVar[str] = "thread_local_address"
    dst: Reg = _define()
    object: str = _attribute(str)


@dataclass(frozen=True, slots=True)
class Malloc(Instruction):
    """Heap memory. `name` and `type` are for display: what the source calls the type that it is made for."""

    mnemonic: ClassVar[str] = "malloc"
    dst: Reg = _define()
    size: Operand = _use()
    align: int = _attribute(int, default=16)
    zeroed: bool = _attribute(bool, default=False)
    name: str = _attribute(str, default="")
    type: DataType | None = _attribute(DataType, default=None)


@dataclass(frozen=True, slots=True)
class Free(Instruction):
    mnemonic: ClassVar[str] = "free"
    address: Operand = _use()


@dataclass(frozen=True, slots=True)
class Spawn(Instruction):
    """Starts a thread; `dst` receives its identifier."""

    mnemonic: ClassVar[str] = "spawn"
    dst: Reg = _define()
    function: Operand = _use()
    args: tuple[Operand, ...] = _uses()


@dataclass(frozen=True, slots=True)
class Join(Instruction):
    """Blocks until the thread has ended; `dst` receives what it returned."""

    mnemonic: ClassVar[str] = "join"
    dst: Reg | None = _define()
    thread: Operand = _use()


@dataclass(frozen=True, slots=True)
class Self(Instruction):
    mnemonic: ClassVar[str] = "self"
    dst: Reg = _define()


@dataclass(frozen=True, slots=True)
class Sync(Instruction):
    mnemonic: ClassVar[str] = "sync"
    dst: Reg | None = _define()
    args: tuple[Operand, ...] = _uses()
    op: SyncOp = _attribute(SyncOp)


INSTRUCTIONS: dict[str, type[Instruction]] = {
    c.mnemonic: c
    for c in (
        Compute, Jump, Branch, Switch, Call, Return, Exit, Load, Store, StoreConditional, Rmw, Cas, Await, BlockingCas,
        Fence, AtomicBegin, AtomicEnd, Assert, Assume, Fail, Choose, Print, SpinHead, Alloca, Malloc, Free, Spawn, Join,
        Self, Sync, ThreadLocalAddress,
    )
}  # fmt: skip
