"""The instructions of a Program.

Every instruction is a frozen dataclass. The *role* of each field (defines a register, uses an operand, is a
jump target, is an attribute) is declared once, here; the printer, the reader, the validator and the encoder all
work from the roles, so a new instruction is one class in this file plus its meaning in the two machines
(`program/interpret.py` and `native/vm`).

Registers hold 64 bits. An operation of width w reads the low w bits of its operands and leaves its result
zero-extended; comparisons leave 0 or 1. A load of n bytes leaves the value zero-extended.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, ClassVar

from fencepost.program.datatypes import DataType
from fencepost.program.operands import Operand, Position, Reg
from fencepost.program.vocabulary import ARITY as ARITY
from fencepost.program.vocabulary import BOUNDS as BOUNDS
from fencepost.program.vocabulary import COMPARISONS as COMPARISONS
from fencepost.program.vocabulary import FAULTS as FAULTS
from fencepost.program.vocabulary import FUNCTIONS_OF_ONE as FUNCTIONS_OF_ONE
from fencepost.program.vocabulary import GOES_ON as GOES_ON
from fencepost.program.vocabulary import KERNEL_FENCES as KERNEL_FENCES
from fencepost.program.vocabulary import ErrorKind as ErrorKind
from fencepost.program.vocabulary import FenceKind as FenceKind
from fencepost.program.vocabulary import Mode as Mode
from fencepost.program.vocabulary import Op as Op
from fencepost.program.vocabulary import RmwOp as RmwOp
from fencepost.program.vocabulary import SyncOp as SyncOp
from fencepost.program.vocabulary import Tag as Tag
from fencepost.records import Field as RecordField
from fencepost.records import dataclass, field, fields


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


_ROLES: dict[type[Instruction], tuple[RecordField[Any], ...]] = {}


def roles(kind: type[Instruction]) -> tuple[RecordField[Any], ...]:
    """The fields of an instruction class with a role, in order."""
    if kind not in _ROLES:
        _ROLES[kind] = tuple(f for f in fields(kind) if f.metadata.get("role") is not None)
    return _ROLES[kind]


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
    """dst := old value; memory := op(old, value), atomically. `barrier`: an arrival at a barrier; nobody looks at which
    came first."""

    mnemonic: ClassVar[str] = "rmw"
    dst: Reg | None = _define()
    address: Operand = _use()
    value: Operand = _use()
    op: RmwOp = _attribute(RmwOp)
    size: int = _attribute(int, default=8)
    mode: Mode = _attribute(Mode, default=Mode.RLX)
    tag: Tag = _attribute(Tag, default=Tag.NONE)
    barrier: bool = _attribute(bool, default=False)


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
    violation of liveness and not a deadlock. `barrier`: the wait for all who arrive at one. `forgets`: nobody can tell
    by which value it was served."""

    mnemonic: ClassVar[str] = "await"
    dst: Reg | None = _define()
    address: Operand = _use()
    operand: Operand = _use()
    mask: Operand | None = _use(default=None)
    op: Op = _attribute(Op, default=Op.EQ)
    size: int = _attribute(int, default=8)
    mode: Mode = _attribute(Mode, default=Mode.RLX)
    spin: Position | None = _attribute(Position, default=None)
    barrier: bool = _attribute(bool, default=False)
    forgets: bool = _attribute(bool, default=False)


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
    """Until the matching AtomicEnd no other thread takes a step (`__VERIFIER_atomic_begin`). `wide`: the block stands
    for one access of two words, of this mode; the pass `wide` says where that is not all that a block is."""

    mnemonic: ClassVar[str] = "atomic_begin"
    wide: Mode = _attribute(Mode, default=Mode.NA)


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
    """Stack memory. `private`: no other thread ever sees its address, so its accesses are not events. `unset`: nothing
    may depend on what is there before somebody writes it."""

    mnemonic: ClassVar[str] = "alloca"
    dst: Reg = _define()
    size: Operand = _use()
    align: int = _attribute(int, default=8)
    private: bool = _attribute(bool, default=False)
    name: str = _attribute(str, default="")
    type: DataType | None = _attribute(DataType, default=None)
    unset: bool = _attribute(bool, default=False)


@dataclass(frozen=True, slots=True)
class Scope(Instruction):
    """The local variable whose memory begins at `address` begins to live, with nothing in it (`unset`: that matters),
    or it `ends`: its thread may not come to it until it begins again."""

    mnemonic: ClassVar[str] = "scope"
    address: Operand = _use()
    ends: bool = _attribute(bool, default=False)
    unset: bool = _attribute(bool, default=False)


@dataclass(frozen=True, slots=True)
class ThreadLocalAddress(Instruction):
    """dst := the address of this thread's copy of a thread-local object (which no other operand may name)."""

    mnemonic: ClassVar[str] = "thread_local_address"
    dst: Reg = _define()
    object: str = _attribute(str)


@dataclass(frozen=True, slots=True)
class Malloc(Instruction):
    """Heap memory. `name` and `type` are for display: what the source calls the type that it is made for. `by_new`,
    `array`: made by C++'s new and not by malloc, and by that for arrays; who frees it says the same."""

    mnemonic: ClassVar[str] = "malloc"
    dst: Reg = _define()
    size: Operand = _use()
    align: int = _attribute(int, default=16)
    zeroed: bool = _attribute(bool, default=False)
    name: str = _attribute(str, default="")
    type: DataType | None = _attribute(DataType, default=None)
    by_new: bool = _attribute(bool, default=False)
    array: bool = _attribute(bool, default=False)


@dataclass(frozen=True, slots=True)
class Free(Instruction):
    """`by_new`, `array`: as for Malloc."""

    mnemonic: ClassVar[str] = "free"
    address: Operand = _use()
    by_new: bool = _attribute(bool, default=False)
    array: bool = _attribute(bool, default=False)


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
        Self, Sync, ThreadLocalAddress, Scope,
    )
}  # fmt: skip
