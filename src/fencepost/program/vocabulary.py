"""The words of instructions: memory orders, fences, operations, kinds of errors, library synchronisation. Each value is
the word that stands in the text form of a Program, in JSON and in options."""

from __future__ import annotations

from enum import Enum


class Mode(Enum):
    """Memory order of an access. Under hardware models NA and RLX are plain accesses, ACQ is LDAR or .aq, ACQ_PC is
    LDAPR, REL is STLR or .rl, and ACQ_REL or SC is .aqrl."""

    __hash__ = object.__hash__  # that of Enum is ten times as slow

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

    __hash__ = object.__hash__  # that of Enum is ten times as slow

    NONE = "none"
    NORETURN = "noreturn"
    CMPXCHG = "cmpxchg"
    LOCK = "lock"
    UNLOCK = "unlock"
    SRCU = "srcu"
    SYNC_SRCU = "sync_srcu"


class Op(Enum):
    """Operations on registers. From SEXT on operands are signed; the f group reads IEEE floats of the width."""

    __hash__ = object.__hash__  # that of Enum is ten times as slow

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
