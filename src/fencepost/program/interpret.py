"""A plain machine for one thread of a Program: the slow twin of `native/vm`, and what every oracle runs on.

A thread runs until it meets something that another thread could notice, and hands that to its engine as an Action:

    state = machine.start(thread_index)
    action = machine.run(state)              # READ, WRITE, FENCE, CHOOSE, ... or END, BLOCK, ERROR
    machine.reply(state, value, event)       # what a READ read, a CHOOSE chose, a JOIN received; then run again

The engine decides what a read returns, numbers the events, and may `clone` a state at any time. A read-modify-write is
a READ whose `part` is RMW, CAS or BLOCKING_CAS; if it goes through, the next action is its WRITE with `rmw` set.
Dependencies are syntactic: each register carries the set of events that it was computed from.
"""

from __future__ import annotations

from dataclasses import field, replace
from enum import Enum

from fencepost.program import instructions as ins
from fencepost.program.arithmetic import ArithmeticFault, compute, update
from fencepost.program.dependencies import NO_DEPS, PICK, Deps, events_of, picked, picks_of
from fencepost.program.formatting import formatted
from fencepost.program.instructions import ErrorKind, FenceKind, Instruction, Mode, RmwOp, Tag
from fencepost.program.layout import (
    FUNCTIONS,
    GAP,
    HEAP,
    NEAR_NULL,
    PRIVATE,
    REGION_MASK,
    STACK,
    THREAD_LOCAL,
    THREAD_SHIFT,
    initial_bytes,
    lay_out,
)
from fencepost.program.operands import Operand, Position, Reg, to_signed, to_unsigned
from fencepost.program.passes.flow import joins
from fencepost.program.program import Arch, Function, Program
from fencepost.program.symbols import demangled
from fencepost.records import dataclass

_ALONE = "a variable of its own, which nobody else can change"
MAX_STEPS = 1_000_000
MAX_DEPTH = 1000


class Kind(Enum):
    READ = "read"
    WRITE = "write"
    FENCE = "fence"
    CHOOSE = "choose"
    MALLOC = "malloc"
    FREE = "free"
    SPAWN = "spawn"
    JOIN = "join"
    ATOMIC_BEGIN = "atomic_begin"
    ATOMIC_END = "atomic_end"
    BLOCK = "block"  # an assume that failed, or a wait that nobody can end: the thread never moves again
    ERROR = "error"
    END = "end"


class Part(Enum):
    """What a READ is part of."""

    LOAD = "load"
    RMW = "rmw"
    CAS = "cas"
    AWAIT = "await"
    BLOCKING_CAS = "blocking_cas"
    EXCLUSIVE = "exclusive"


@dataclass(frozen=True, slots=True)
class Action:
    kind: Kind
    at: Position | None = None
    address: int = 0
    size: int = 0
    value: int = 0  # WRITE: what is stored. END, JOIN: the result. CHOOSE: the low end. MALLOC: the size
    high: int = 0  # CHOOSE: the high end
    mode: Mode = Mode.NA
    part: Part = Part.LOAD
    rmw: bool = False  # WRITE: belongs to the READ just before it
    conditional: int | None = None  # WRITE: a store-conditional; the event of its load-reserve. reply 1 or 0
    may_fail: bool = False
    lock: bool = False
    process: bool = False  # END: of the whole program
    spin: Position | None = None  # READ that waits, BLOCK: the loop that this is
    alone: bool = False  # BLOCK: a wait on memory that nobody else can reach
    fence: FenceKind | None = None
    tag: Tag = Tag.NONE
    error: ErrorKind | None = None
    message: str = ""
    function: str = ""  # SPAWN
    args: tuple[int, ...] = ()  # SPAWN
    address_deps: Deps = NO_DEPS
    data_deps: Deps = NO_DEPS
    control_deps: Deps = NO_DEPS
    address_picks: Deps = NO_DEPS  # those among them that are pick dependencies only
    data_picks: Deps = NO_DEPS
    control_picks: Deps = NO_DEPS
    decided_by: Deps = NO_DEPS  # WRITE of a kernel program: all that any branch before it looked at


@dataclass(slots=True)
class Frame:
    function: Function
    pc: int
    values: list[int]
    deps: list[Deps]
    result: Reg | None = None
    spins: dict[int, object] = field(default_factory=dict)
    private_top: int = GAP  # where the private memory of the call begins

    def clone(self) -> Frame:
        return replace(self, values=self.values[:], deps=self.deps[:], spins=dict(self.spins))


@dataclass(slots=True)
class ThreadState:
    thread: int
    frames: list[Frame]
    control: Deps = NO_DEPS
    decided_by: Deps = NO_DEPS  # where control dependencies end: what branches looked at, all of it
    scopes: tuple[tuple[int, int, Deps], ...] = ()  # depth, where a branch's ways meet again, control before it
    private: dict[int, tuple[int, Deps]] = field(default_factory=dict)  # address -> byte
    private_objects: dict[int, int] = field(default_factory=dict)  # start -> size
    tops: dict[int, int] = field(default_factory=dict)  # region -> next free offset
    objects: dict[int, int] = field(default_factory=dict)  # start of shared stack and heap objects -> size
    reservation: tuple[tuple[int, int, Position | None], ...] = ()  # event, address and place of each piece reserved
    pending: Action | None = None
    pending_write: Action | None = None  # the second half of a read-modify-write
    piece: int = 0  # bytes of the current access that are done, where it is made in pieces
    piece_value: int = 0
    piece_deps: Deps = NO_DEPS
    blocks: int = 0  # atomic blocks that it is in, nested
    effects: int = 0  # events that a spin iteration must not contain
    sums: int = 0  # additions and subtractions; it may contain some that undo each other
    balance: dict[int, int] = field(default_factory=dict)  # address -> what they amount to
    output: tuple[str, ...] = ()
    final: tuple[int, ...] = ()  # registers of the first function when the thread ended
    steps: int = 0

    def clone(self) -> ThreadState:
        return replace(
            self,
            frames=[f.clone() for f in self.frames],
            private=dict(self.private),
            private_objects=dict(self.private_objects),
            tops=dict(self.tops),
            objects=dict(self.objects),
            balance=dict(self.balance),
        )


class Machine:
    """Runs the threads of one program. It has no state of its own besides the program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.layout = lay_out(program)
        self.functions = {f.name: f for f in program.functions}
        self.memory = initial_bytes(program, self.layout)
        self.local = initial_bytes(program, self.layout, thread_local=True)
        self.joins: dict[str, dict[int, int]] = {}
        # The kernel's compilers may move what follows an if before it: a control dependency ends with the statement.
        self.scoped = program.arch is Arch.LKMM
        self.picks = program.arch is Arch.AARCH64  # which tells apart what a value is and what decided on it

    # --- what engines ask

    def start(self, index: int) -> ThreadState:
        """The state of the static thread number `index` before its first instruction."""
        t = self.program.threads[index]
        return self.start_function(index, t.function, tuple(self.layout.value(a) for a in t.args))

    def start_function(self, thread: int, function: str, args: tuple[int, ...]) -> ThreadState:
        return ThreadState(thread, [self._frame(self.functions[function], args, (NO_DEPS,) * len(args))])

    def initial(self, address: int, size: int) -> int:
        """The initial value of shared memory."""
        return sum(self.memory.get(address + i, 0) << (8 * i) for i in range(size))

    def satisfied(self, state: ThreadState, value: int) -> bool:
        """Whether this value lets the pending READ go on: false only for an await or a blocking CAS that must wait."""
        i, frame = self._instruction(state), state.frames[-1]
        if isinstance(i, ins.Await):
            width = 8 * i.size
            mask = self._value(frame, i.mask) if i.mask is not None else to_unsigned(-1)
            return bool(compute(i.op, width, (value & mask, self._value(frame, i.operand))))
        if isinstance(i, ins.BlockingCas):
            return to_unsigned(value, 8 * i.size) == to_unsigned(self._value(frame, i.expected), 8 * i.size)
        return True

    def read_mode(self, state: ThreadState, value: int) -> Mode:
        """The mode of the pending READ if it reads this value: a compare-exchange that fails has its own."""
        i, action = self._instruction(state), state.pending
        assert action is not None, "read_mode should follow a READ"
        if isinstance(i, ins.Cas):
            width = 8 * i.size
            if to_unsigned(value, width) != to_unsigned(self._value(state.frames[-1], i.expected), width):
                return i.failure
        return action.mode

    def told_apart(self, state: ThreadState) -> frozenset[int] | None:
        """The values that the pending READ treats unlike all others (a CAS its expected value); None where it may
        tell any two values apart."""
        i, frame = self._instruction(state), state.frames[-1]
        match i:
            case ins.Cas() | ins.BlockingCas():
                return frozenset({to_unsigned(self._value(frame, i.expected), 8 * i.size)})
            case ins.Await(op=ins.Op.EQ | ins.Op.NE, mask=None):
                return frozenset({to_unsigned(self._value(frame, i.operand), 8 * i.size)})
            case ins.Await():
                return None
        return frozenset()

    def reply(self, state: ThreadState, value: int = 0, event: int = -1) -> None:
        """Answers the pending action. `event` is the engine's number for it, which later dependencies name."""
        action = state.pending
        assert action is not None, "reply should follow an action"
        state.pending = None
        if state.pending_write is not None and action.kind is Kind.WRITE:
            state.pending_write = None
            state.frames[-1].pc += 1
            return
        self._finish(state, action, value, frozenset({event}) if event >= 0 else NO_DEPS, event)

    def run(self, state: ThreadState) -> Action:
        """Runs up to the next action. Calling it again before `reply` gives the same action."""
        while state.pending is None:
            if state.pending_write is not None:
                state.pending = _told(state.pending_write)
                break
            state.steps += 1
            if state.steps > MAX_STEPS:
                state.pending = Action(
                    Kind.ERROR, self._instruction(state).at, error=ErrorKind.STEP_BOUND,
                    message=f"a thread ran {MAX_STEPS} instructions without end",
                )  # fmt: skip
                break
            try:
                action = self._step(state)
                state.pending = _told(action) if action is not None else None
            except ArithmeticFault as fault:
                at = self._instruction(state).at
                state.pending = Action(Kind.ERROR, at, error=fault.kind, message=str(fault))
        return state.pending

    # --- one instruction

    def _instruction(self, state: ThreadState) -> Instruction:
        frame = state.frames[-1]
        return frame.function.code[frame.pc]

    def _frame(
        self, function: Function, args: tuple[int, ...], deps: tuple[Deps, ...], result: Reg | None = None
    ) -> Frame:
        count, n = len(function.registers), function.parameters
        values = [*args[:n], *([0] * (count - min(len(args), n)))]
        all_deps = [*deps[:n], *([NO_DEPS] * (count - min(len(deps), n)))]
        return Frame(function, 0, values, all_deps, result)

    def _value(self, frame: Frame, operand: Operand) -> int:
        return frame.values[operand.index] if isinstance(operand, Reg) else self.layout.value(operand)

    def _deps(self, frame: Frame, *operands: Operand | None) -> Deps:
        found = NO_DEPS
        for operand in operands:
            if isinstance(operand, Reg):
                found |= frame.deps[operand.index]
        return found

    def _computed_from(self, frame: Frame, i: ins.Compute, args: tuple[int, ...]) -> Deps:
        if i.op is not ins.Op.SELECT or not self.picks:
            return self._deps(frame, *i.args)
        condition, then, otherwise = i.args
        return self._deps(frame, then if args[0] else otherwise) | picked(self._deps(frame, condition))

    def _set(self, frame: Frame, register: Reg | None, value: int, deps: Deps) -> None:
        if register is not None:
            frame.values[register.index] = to_unsigned(value)
            frame.deps[register.index] = deps

    def _leave_scopes(self, state: ThreadState, frame: Frame) -> None:
        """Control dependencies end where the ways of their branch meet again."""
        here = len(state.frames), frame.pc
        while state.scopes and (state.scopes[-1][0] > here[0] or state.scopes[-1][:2] == here):
            state.control = state.scopes[-1][2]
            state.scopes = state.scopes[:-1]

    def _depend(self, state: ThreadState, frame: Frame, deps: Deps) -> None:
        """What a branch decides depends on `deps`."""
        if self.scoped:
            name = frame.function.name
            if name not in self.joins:
                self.joins[name] = joins(frame.function)
            join = self.joins[name].get(frame.pc, -1)
            state.scopes += ((len(state.frames), join, state.control),)
            state.decided_by |= deps
        state.control |= deps

    def _step(self, state: ThreadState) -> Action | None:
        frame = state.frames[-1]
        if state.scopes:
            self._leave_scopes(state, frame)
        i = frame.function.code[frame.pc]
        match i:
            case ins.Compute():
                args = tuple(self._value(frame, a) for a in i.args)
                self._set(frame, i.dst, compute(i.op, i.width, args), self._computed_from(frame, i, args))
            case ins.Jump():
                frame.pc = i.target
                return None
            case ins.Branch():
                self._depend(state, frame, self._deps(frame, i.condition))
                frame.pc = i.then if self._value(frame, i.condition) else i.otherwise
                return None
            case ins.Switch():
                self._depend(state, frame, self._deps(frame, i.value))
                value = self._value(frame, i.value)
                taken = [t for c, t in zip(i.cases, i.targets, strict=True) if self._value(frame, c) == value]
                frame.pc = taken[0] if taken else i.default
                return None
            case ins.Call():
                return self._call(state, frame, i)
            case ins.Return():
                return self._return(state, frame, i)
            case ins.Exit():
                value = self._value(frame, i.value) if i.value is not None else 0
                return replace(self._end(state, i, value), process=i.process)
            case ins.Assert():
                # It is a branch: nothing after it is seen before it is decided. A check is none.
                if not i.check:
                    state.control |= self._deps(frame, i.condition)
                if not self._value(frame, i.condition):
                    message = i.message or "assertion failed"
                    return Action(Kind.ERROR, i.at, error=i.kind, message=message, control_deps=state.control)
            case ins.Assume():
                state.control |= self._deps(frame, i.condition)
                if not self._value(frame, i.condition):
                    return Action(Kind.BLOCK, i.at)
            case ins.Fail():
                return Action(Kind.ERROR, i.at, error=i.kind, message=i.message, control_deps=state.control)
            case ins.Print():
                state.output += (formatted(i.format, [self._value(frame, a) for a in i.args]),)
            case ins.SpinHead():
                if self._spins(state, frame, i):
                    return Action(Kind.BLOCK, i.at, message="spin", spin=i.at)
            case ins.Alloca():
                self._alloca(state, frame, i)
            case ins.ThreadLocalAddress():
                base = self.layout.thread_locals[i.object]
                self._set(frame, i.dst, base | state.thread << THREAD_SHIFT, NO_DEPS)
            case ins.Self():
                self._set(frame, i.dst, state.thread, NO_DEPS)
            case ins.Sync():
                message = f"{i.op.value} was not lowered (program/passes/synchronisation.py)"
                return Action(Kind.ERROR, i.at, error=ErrorKind.UNSUPPORTED, message=message)
            case _:
                return self._visible(state, frame, i)
        frame.pc += 1
        return None

    def _call(self, state: ThreadState, frame: Frame, i: ins.Call) -> Action | None:
        target = self._value(frame, i.callee)
        index, rest = divmod(target - FUNCTIONS, GAP)
        if rest or not 0 <= index < len(self.program.functions):
            message = f"call through {target:#x}, which is not a function"
            return Action(Kind.ERROR, i.at, error=ErrorKind.BAD_CALL, message=message)
        if len(state.frames) >= MAX_DEPTH:
            message = f"calls nest deeper than {MAX_DEPTH}"
            return Action(Kind.ERROR, i.at, error=ErrorKind.STACK_OVERFLOW, message=message)
        state.control |= self._deps(frame, i.callee)
        args = tuple(self._value(frame, a) for a in i.args)
        deps = tuple(self._deps(frame, a) for a in i.args)
        function = self.program.functions[index]
        if len(args) < function.parameters:
            message = f"{function.name} takes {function.parameters} argument(s) and got {len(args)}"
            return Action(Kind.ERROR, i.at, error=ErrorKind.BAD_CALL, message=message)
        frame.pc += 1
        state.frames.append(self._frame(function, args, deps, i.dst))
        state.frames[-1].private_top = state.tops.get(PRIVATE, GAP)
        return None

    def _return(self, state: ThreadState, frame: Frame, i: ins.Return) -> Action | None:
        value = self._value(frame, i.value) if i.value is not None else 0
        if len(state.frames) == 1:
            return self._end(state, i, value)
        deps = self._deps(frame, i.value)
        state.frames.pop()
        self._release_private(state, frame.private_top)
        self._set(state.frames[-1], frame.result, value, deps)
        return None

    def _release_private(self, state: ThreadState, top: int) -> None:
        """Private memory of a call ends with it, so that iterations of a loop that calls can be compared."""
        if state.tops.get(PRIVATE, GAP) > top:
            state.tops[PRIVATE] = top
            end = PRIVATE | state.thread << THREAD_SHIFT | top
            state.private = {a: b for a, b in state.private.items() if a & REGION_MASK != PRIVATE or a < end}
            state.private_objects = {a: size for a, size in state.private_objects.items() if a < end}

    def _end(self, state: ThreadState, i: Instruction, value: int) -> Action:
        state.final = tuple(state.frames[0].values)
        return Action(Kind.END, i.at, value=value)

    def _spins(self, state: ThreadState, frame: Frame, i: ins.SpinHead) -> bool:
        registers = tuple(self._value(frame, o) for o in i.live)
        private = tuple(sorted((a, b[0]) for a, b in state.private.items() if b[0] != self._private_initial(a)))
        sums = sorted((a, n) for a, n in state.balance.items() if n) if i.undoes else state.sums
        now = (registers, private, state.effects, sums)
        same = frame.spins.get(i.loop) == now
        frame.spins[i.loop] = now
        return same

    def _alloca(self, state: ThreadState, frame: Frame, i: ins.Alloca) -> None:
        size = self._value(frame, i.size)
        address = self._allocate(state, PRIVATE if i.private else STACK, size, i.align)
        (state.private_objects if i.private else state.objects)[address] = size
        self._set(frame, i.dst, address, NO_DEPS)

    def _allocate(self, state: ThreadState, region: int, size: int, align: int) -> int:
        start = -(-state.tops.get(region, GAP) // align) * align
        state.tops[region] = -(-(start + size) // GAP) * GAP + GAP
        return region | state.thread << THREAD_SHIFT | start

    def _visible(self, state: ThreadState, frame: Frame, i: Instruction) -> Action | None:
        control = state.control
        address_operand: Operand | None = getattr(i, "address", None)
        address = self._value(frame, address_operand) if address_operand is not None else 0
        where = self._deps(frame, address_operand)
        size = getattr(i, "size", 0)
        if address_operand is not None and not isinstance(i, ins.Free):
            if address & REGION_MASK in (PRIVATE, THREAD_LOCAL):
                return self._private_access(state, frame, i, address)
            fault = self._fault(address, size, writes=not isinstance(i, ins.Load | ins.Await))
            if fault is not None:
                return Action(Kind.ERROR, i.at, error=fault[0], message=fault[1], address=address, size=size)
            if self.program.cuts:
                whole = address, size
                address, size = self._piece(state, address, size)
                if (address, size) != whole and not _may_be_cut(i):
                    message = "an atomic access to memory that others access in parts"
                    return Action(Kind.ERROR, i.at, *whole, error=ErrorKind.MIXED_SIZE, message=message)
        match i:
            case ins.Load():
                part = Part.EXCLUSIVE if i.exclusive else Part.LOAD
                return Action(Kind.READ, i.at, address, size, mode=i.mode, part=part, address_deps=where,
                              control_deps=control, tag=i.tag)  # fmt: skip
            case ins.Store():
                value = to_unsigned(self._value(frame, i.value) >> 8 * state.piece, 8 * size)
                return Action(Kind.WRITE, i.at, address, size, value, mode=i.mode, address_deps=where,
                              data_deps=self._deps(frame, i.value), control_deps=control, tag=i.tag,
                              decided_by=self._decided_by(state, frame, i.value, i.address))  # fmt: skip
            case ins.StoreConditional():
                return self._store_conditional(state, frame, i, address, where)
            case ins.Rmw() | ins.Cas() | ins.BlockingCas():
                part = {ins.Rmw: Part.RMW, ins.Cas: Part.CAS, ins.BlockingCas: Part.BLOCKING_CAS}[type(i)]
                return Action(Kind.READ, i.at, address, size, mode=i.mode, part=part, address_deps=where,
                              control_deps=control, tag=i.tag, lock=getattr(i, "lock", False),
                              spin=getattr(i, "spin", None))  # fmt: skip
            case ins.Await():
                return Action(Kind.READ, i.at, address, size, mode=i.mode, part=Part.AWAIT, address_deps=where,
                              control_deps=control, spin=i.spin)  # fmt: skip
            case ins.Fence():
                return Action(Kind.FENCE, i.at, fence=i.kind, control_deps=control)
            case ins.AtomicBegin() | ins.AtomicEnd():
                return self._atomic_block(state, frame, i)
            case ins.Choose():
                low, high = to_signed(self._value(frame, i.low)), to_signed(self._value(frame, i.high))
                if low > high:
                    return Action(Kind.BLOCK, i.at, message=f"choose({low}..{high}) is empty")
                return Action(Kind.CHOOSE, i.at, value=low, high=high, control_deps=control)
            case ins.Malloc():
                return Action(Kind.MALLOC, i.at, value=self._value(frame, i.size), control_deps=control)
            case ins.Free():
                return Action(Kind.FREE, i.at, address, address_deps=where, control_deps=control)
            case ins.Spawn():
                index = (self._value(frame, i.function) - FUNCTIONS) // GAP
                args = tuple(self._value(frame, a) for a in i.args)
                return Action(Kind.SPAWN, i.at, function=self.program.functions[index].name, args=args,
                              control_deps=control)  # fmt: skip
            case ins.Join():
                return Action(Kind.JOIN, i.at, value=self._value(frame, i.thread), control_deps=control)
        raise AssertionError(f"{i.mnemonic} should have a meaning here")

    def _decided_by(self, state: ThreadState, frame: Frame, *operands: Operand) -> Deps:
        """What branches before a write have looked at, where they may have chosen one of its operands."""
        free = any(isinstance(o, Reg) and o.index >= frame.function.parameters for o in operands)
        return state.decided_by if free else NO_DEPS

    def _atomic_block(self, state: ThreadState, frame: Frame, i: ins.AtomicBegin | ins.AtomicEnd) -> Action | None:
        """Of nested blocks only the outermost is one: what begins and ends inside it is no action."""
        begins = isinstance(i, ins.AtomicBegin)
        if not begins and state.blocks == 0:
            return Action(Kind.ERROR, i.at, error=ErrorKind.UNLOCK, message="an atomic block ends that never began")
        if state.blocks == (0 if begins else 1):
            return Action(Kind.ATOMIC_BEGIN if begins else Kind.ATOMIC_END, i.at, control_deps=state.control)
        state.blocks += 1 if begins else -1
        frame.pc += 1
        return None

    def _fault(self, address: int, size: int, *, writes: bool) -> tuple[ErrorKind, str] | None:
        """Faults of accesses to global memory; heap and stack are the engine's to judge."""
        if address < NEAR_NULL:
            return ErrorKind.NULL, f"access to address {address:#x}"
        if address & REGION_MASK in (STACK, HEAP):
            return _misaligned(address, size)
        found = self.layout.find(address)
        if found is None:
            return ErrorKind.OUT_OF_BOUNDS, f"access to address {address:#x}, outside every object"
        o, offset = found
        if offset + size > o.size:
            return (
                ErrorKind.OUT_OF_BOUNDS,
                f"access to bytes {offset}..{offset + size - 1} of {demangled(o.name)} ({o.size} bytes)",
            )
        if o.constant and writes:
            return ErrorKind.CONSTANT, f"write to {demangled(o.name)}, which is constant"
        return _misaligned(address, size)

    def _piece(self, state: ThreadState, address: int, size: int) -> tuple[int, int]:
        """The next piece of an access, from one cut to the next."""
        start, end = address + state.piece, address + size
        end = min((at for at in self.program.cuts if start < at < end), default=end)
        return start, end - start

    def _last_piece(
        self, state: ThreadState, frame: Frame, i: ins.Load | ins.Store, size: int, value: int, event: Deps
    ) -> bool:
        """Notes a piece of an access; whether it was the last."""
        state.piece_value |= value << 8 * state.piece
        state.piece_deps |= event
        state.piece += size
        if state.piece < i.size:
            return False
        if isinstance(i, ins.Load):
            self._set(frame, i.dst, state.piece_value, state.piece_deps)
        state.piece, state.piece_value, state.piece_deps = 0, 0, NO_DEPS
        return True

    def _store_conditional(
        self, state: ThreadState, frame: Frame, i: ins.StoreConditional, address: int, where: Deps
    ) -> Action | None:
        reserved = next((event for event, start, _ in state.reservation if start == address), None)
        state.reservation = tuple(r for r in state.reservation if r[1] != address) if reserved is not None else ()
        if reserved is None:
            self._set(frame, i.dst, 0, NO_DEPS)
            frame.pc += 1
            return None
        return Action(
            Kind.WRITE, i.at, address, i.size, to_unsigned(self._value(frame, i.value), 8 * i.size), mode=i.mode,
            conditional=reserved, may_fail=i.may_fail, address_deps=where,
            data_deps=self._deps(frame, i.value), control_deps=state.control,
        )  # fmt: skip

    # --- the answer to an action

    def _finish(self, state: ThreadState, action: Action, value: int, event: Deps, number: int) -> None:
        frame = state.frames[-1]
        i = frame.function.code[frame.pc]
        if action.kind in (Kind.WRITE, Kind.FREE, Kind.MALLOC, Kind.CHOOSE, Kind.SPAWN):
            state.effects += 1
        if isinstance(i, ins.Load | ins.Store) and action.size != i.size:
            frame.pc += self._last_piece(state, frame, i, action.size, value, event)
            return
        match i:
            case ins.AtomicBegin() | ins.AtomicEnd():
                state.blocks = int(isinstance(i, ins.AtomicBegin))
            case ins.Load():
                self._set(frame, i.dst, value, event)
                if i.exclusive:
                    pieces = [r for r in state.reservation if r[2] == i.at is not None]  # of this very instruction
                    again = any(r[1] == action.address for r in pieces)
                    state.reservation = (*(() if again else pieces), (number, action.address, i.at))
            case ins.StoreConditional():
                state.reservation = state.reservation if value else ()
                # only RISC-V lets dependencies start at the success register
                self._set(frame, i.dst, value, event if self.program.arch is Arch.RISCV else NO_DEPS)
            case ins.Rmw():
                new = update(i.op, i.size, value, self._value(frame, i.value))
                deps = self._deps(frame, i.value) | (NO_DEPS if i.op is RmwOp.XCHG else event)
                by = to_signed(self._value(frame, i.value), 8 * i.size)
                self._set(frame, i.dst, value, event)
                self._second_half(state, action, new, deps, value)
                if new != value and i.op in (RmwOp.ADD, RmwOp.SUB):
                    state.effects -= 1
                    state.sums += 1
                    old = state.balance.get(action.address, 0)
                    state.balance[action.address] = old + (by if i.op is RmwOp.ADD else -by)
                return
            case ins.Cas():
                width = 8 * i.size
                expected, desired = self._value(frame, i.expected), self._value(frame, i.desired)
                deps, compared = self._deps(frame, i.desired), self._deps(frame, i.expected)
                done = to_unsigned(value, width) == to_unsigned(expected, width)
                decided = picked(compared | event) if self.picks else compared | event
                origin = compared | picked(event) if done and i.alternative else event
                self._set(frame, i.old, value, origin)
                self._set(frame, i.success, int(done), decided)
                if done or i.alternative:
                    new = to_unsigned(desired if done else value, width)
                    deps = deps if done else event
                    self._second_half(state, action, new, deps, None if done else value, compared=decided)
                    return
            case ins.BlockingCas():
                new = to_unsigned(self._value(frame, i.desired), 8 * i.size)
                compared = event | self._deps(frame, i.expected)
                self._second_half(state, action, new, self._deps(frame, i.desired), compared=compared)
                state.control |= NO_DEPS if self.scoped else compared
                return
            case ins.Await():
                self._set(frame, i.dst, value, event)
                state.control |= NO_DEPS if self.scoped else event | self._deps(frame, i.operand, i.mask)
            case ins.Choose():
                self._set(frame, i.dst, value, self._deps(frame, i.low, i.high))
            case ins.Malloc():
                address = self._allocate(state, HEAP, action.value, i.align)
                state.objects[address] = action.value
                self._set(frame, i.dst, address, NO_DEPS)
            case ins.Spawn() | ins.Join():
                self._set(frame, i.dst, value, event)
        frame.pc += 1

    def _second_half(
        self, state: ThreadState, read: Action, value: int, deps: Deps, old: int | None = None,
        compared: Deps = NO_DEPS,
    ) -> None:  # fmt: skip
        """`old`: what was read; writing the same again is no effect that ends a spin. `compared`: what decides
        whether there is a write at all, which is a control dependency of the write."""
        state.effects += value != old
        state.pending_write = replace(
            read, kind=Kind.WRITE, value=value, rmw=True, data_deps=deps, control_deps=state.control | compared,
            decided_by=state.decided_by,
            address_deps=read.address_deps - read.address_picks | picked(read.address_picks),
        )  # fmt: skip

    # --- private memory

    def _private_access(self, state: ThreadState, frame: Frame, i: Instruction, address: int) -> Action | None:
        """Accesses to memory that no other thread can see happen at once and are not events."""
        owner = address >> THREAD_SHIFT & 0xFFF
        size: int = getattr(i, "size", 0)
        if owner != state.thread:
            message = "access to memory that is private to another thread"
            return Action(Kind.ERROR, i.at, error=ErrorKind.UNSUPPORTED, message=message)
        if address & REGION_MASK == PRIVATE:
            start = max((a for a in state.private_objects if a <= address), default=address)
            if address - start + size > state.private_objects.get(start, 0):
                return Action(
                    Kind.ERROR, i.at, error=ErrorKind.OUT_OF_BOUNDS, message="access past the end of an object"
                )
        if (fault := _misaligned(address, size)) is not None:
            return Action(Kind.ERROR, i.at, error=fault[0], message=fault[1])
        old, deps = self._private_read(state, address, size)
        match i:
            case ins.Load():
                self._set(frame, i.dst, old, deps)
            case ins.Store() | ins.StoreConditional():
                value, written = self._value(frame, i.value), self._deps(frame, i.value)
                self._private_write(state, address, size, value, written)
                if isinstance(i, ins.StoreConditional):
                    self._set(frame, i.dst, 1, NO_DEPS)
            case ins.Rmw():
                new = update(i.op, size, old, self._value(frame, i.value))
                self._private_write(state, address, size, new, deps | self._deps(frame, i.value))
                self._set(frame, i.dst, old, deps)
            case ins.Cas():
                width = 8 * size
                done = old == to_unsigned(self._value(frame, i.expected), width)
                if done:
                    self._private_write(
                        state, address, size, self._value(frame, i.desired), self._deps(frame, i.desired)
                    )
                self._set(frame, i.old, old, deps)
                self._set(frame, i.success, int(done), deps | self._deps(frame, i.expected))
            case ins.Await() | ins.BlockingCas():
                if not self.satisfied(state, old):
                    return Action(Kind.BLOCK, i.at, address, spin=i.spin, alone=True, message=_ALONE)
                if isinstance(i, ins.BlockingCas):
                    self._private_write(state, address, size, self._value(frame, i.desired), NO_DEPS)
                else:
                    self._set(frame, i.dst, old, deps)
        frame.pc += 1
        return None

    def _private_read(self, state: ThreadState, address: int, size: int) -> tuple[int, Deps]:
        value, deps = 0, NO_DEPS
        for k in range(size):
            byte = state.private.get(address + k)
            if byte is None:
                byte = (self._private_initial(address + k), NO_DEPS)
            value |= byte[0] << (8 * k)
            deps |= byte[1]
        return value, deps

    def _private_initial(self, address: int) -> int:
        """A byte that nobody has written: of thread-local memory what the program says, of the stack 0."""
        return self.local.get(address & ~(0xFFF << THREAD_SHIFT), 0)

    def _private_write(self, state: ThreadState, address: int, size: int, value: int, deps: Deps) -> None:
        for k in range(size):
            state.private[address + k] = (value >> (8 * k) & 0xFF, deps)


def _told(action: Action) -> Action:
    """An action as engines see it: pick dependencies apart."""
    address, data, control = action.address_deps, action.data_deps, action.control_deps
    if max((0, *address, *data, *control)) < PICK:
        return action
    return replace(
        action, address_deps=events_of(address), data_deps=events_of(data), control_deps=events_of(control),
        address_picks=picks_of(address), data_picks=picks_of(data), control_picks=picks_of(control),
    )  # fmt: skip


def _misaligned(address: int, size: int) -> tuple[ErrorKind, str] | None:
    return (ErrorKind.MISALIGNED, f"access of {size} bytes at address {address:#x}") if address % size else None


def _may_be_cut(i: Instruction) -> bool:
    """Only what is not atomic may come in pieces."""
    return isinstance(i, ins.Load | ins.Store) and i.mode is Mode.NA and not getattr(i, "exclusive", False)
