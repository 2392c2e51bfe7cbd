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

from functools import partial

from fencepost.program import instructions as ins
from fencepost.program.actions import Action as Action
from fencepost.program.actions import Frame as Frame
from fencepost.program.actions import Kind as Kind
from fencepost.program.actions import Part as Part
from fencepost.program.actions import ThreadState as ThreadState
from fencepost.program.arithmetic import ArithmeticFault, compute, update
from fencepost.program.dependencies import NO_DEPS, Deps, picked
from fencepost.program.formatting import formatted
from fencepost.program.instructions import ErrorKind, Instruction, Mode, Op, RmwOp
from fencepost.program.layout import FUNCTIONS, GAP, HEAP, PRIVATE, REGION_MASK, THREAD_LOCAL, THREAD_SHIFT
from fencepost.program.memory import Memory, misaligned
from fencepost.program.operands import Operand, Reg, to_signed, to_unsigned
from fencepost.program.passes.flow import joins
from fencepost.program.program import Arch, Function, Program
from fencepost.program.unset import undecided, unset_bits
from fencepost.records import replace

_ALONE = "a variable of its own, which nobody else can change"
MAX_STEPS = 1_000_000  # instructions between two actions, as in the core
MOST_ACTIONS = 200_000  # where a thread is run by itself
MAX_DEPTH = 1000


class Machine(Memory):
    """Runs the threads of one program. It has no state of its own besides the program."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.functions = {f.name: f for f in program.functions}
        self.joins: dict[str, dict[int, int]] = {}
        self.ran: set[tuple[int, str, int]] = set()  # calls and accesses to private memory: thread, function, place
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

    def satisfied(self, state: ThreadState, value: int) -> bool:
        """Whether this value lets the pending READ go on: false only for an await or a blocking CAS that must wait."""
        i, frame = state.instruction(), state.frames[-1]
        if isinstance(i, ins.Await):
            width = 8 * i.size
            mask = self.value(frame, i.mask) if i.mask is not None else to_unsigned(-1)
            return bool(compute(i.op, width, (value & mask, self.value(frame, i.operand))))
        if isinstance(i, ins.BlockingCas):
            return to_unsigned(value, 8 * i.size) == to_unsigned(self.value(frame, i.expected), 8 * i.size)
        return True

    def read_mode(self, state: ThreadState, value: int) -> Mode:
        """The mode of the pending READ if it reads this value: a compare-exchange that fails has its own."""
        i, action = state.instruction(), state.pending
        assert action is not None, "read_mode should follow a READ"
        if isinstance(i, ins.Cas):
            width = 8 * i.size
            if to_unsigned(value, width) != to_unsigned(self.value(state.frames[-1], i.expected), width):
                return i.failure
        return action.mode

    def told_apart(self, state: ThreadState) -> frozenset[int] | None:
        """The values that the pending READ treats unlike all others (a CAS its expected value); None where it may
        tell any two values apart."""
        i, frame = state.instruction(), state.frames[-1]
        match i:
            case ins.Cas() | ins.BlockingCas():
                return frozenset({to_unsigned(self.value(frame, i.expected), 8 * i.size)})
            case ins.Await(op=ins.Op.EQ | ins.Op.NE, mask=None):
                return frozenset({to_unsigned(self.value(frame, i.operand), 8 * i.size)})
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
        i = state.instruction()
        self._finish(state, action, value, frozenset({event}) if event >= 0 else NO_DEPS, event)
        state.reserving = isinstance(i, ins.Load) and i.exclusive

    def run(self, state: ThreadState) -> Action:
        """Runs up to the next action. Calling it again before `reply` gives the same action."""
        steps = 0
        while state.pending is None:
            if state.pending_write is not None:
                state.pending = state.pending_write.told()
                break
            steps += 1
            if steps > MAX_STEPS:
                state.pending = Action(
                    Kind.ERROR, state.instruction().at, error=ErrorKind.STEP_BOUND,
                    message="a thread runs on without end and without touching memory",
                )  # fmt: skip
                break
            try:
                action = self._step(state)
                state.pending = action.told() if action is not None else None
            except ArithmeticFault as fault:
                at = state.instruction().at
                state.pending = Action(Kind.ERROR, at, error=fault.kind, message=str(fault))
        return state.pending

    def run_past(self, state: ThreadState) -> Action:
        """Goes on past the head of a loop where it stopped, since the round was not in vain after all."""
        state.pending = None
        state.frames[-1].pc += 1
        return self.run(state)

    # --- one instruction

    def _frame(
        self, function: Function, args: tuple[int, ...], deps: tuple[Deps, ...], result: Reg | None = None
    ) -> Frame:
        count, n = len(function.registers), function.parameters
        values = [*args[:n], *([0] * (count - min(len(args), n)))]
        all_deps = [*deps[:n], *([NO_DEPS] * (count - min(len(deps), n)))]
        return Frame(function, 0, values, all_deps, result)

    def _computed_from(self, frame: Frame, i: ins.Compute, args: tuple[int, ...]) -> Deps:
        if i.op is not ins.Op.SELECT or not self.picks:
            return self.deps(frame, *i.args)
        condition, then, otherwise = i.args
        return self.deps(frame, then if args[0] else otherwise) | picked(self.deps(frame, condition))

    def _compute(self, frame: Frame, i: ins.Compute) -> None:
        args = tuple(self.value(frame, a) for a in i.args)
        bits = tuple(self.unset(frame, a) for a in i.args) if frame.unset else ()
        self.set(frame, i.dst, compute(i.op, i.width, args), self._computed_from(frame, i, args))
        self.mark_unset(frame, i.dst, unset_bits(i.op, i.width, args, bits))

    def _undecided(self, state: ThreadState, frame: Frame, i: Instruction) -> Action | None:
        """An error where something depends on bits that nobody has written."""
        ends = state.thread == 0 and (isinstance(i, ins.Exit) or len(state.frames) == 1)
        message = undecided(i, partial(self.value, frame), partial(self.unset, frame), ends=ends)
        return Action(Kind.ERROR, i.at, error=ErrorKind.UNINITIALISED, message=message) if message else None

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
        if frame.unset and (fault := self._undecided(state, frame, i)) is not None:
            return fault
        match i:
            case ins.Compute():
                self._compute(frame, i)
            case ins.Jump():
                frame.pc = i.target
                return None
            case ins.Branch():
                self._depend(state, frame, self.deps(frame, i.condition))
                frame.pc = i.then if self.value(frame, i.condition) else i.otherwise
                return None
            case ins.Switch():
                self._depend(state, frame, self.deps(frame, i.value))
                value = self.value(frame, i.value)
                taken = [t for c, t in zip(i.cases, i.targets, strict=True) if self.value(frame, c) == value]
                frame.pc = taken[0] if taken else i.default
                return None
            case ins.Call():
                return self._call(state, frame, i)
            case ins.Return():
                return self._return(state, frame, i)
            case ins.Exit():
                value = self.value(frame, i.value) if i.value is not None else 0
                return replace(self._end(state, i, value), process=i.process)
            case ins.Assert():
                # It is a branch: nothing after it is seen before it is decided. A check is none.
                if not i.check:
                    state.control |= self.deps(frame, i.condition)
                if not self.value(frame, i.condition):
                    message = i.message or "assertion failed"
                    return Action(Kind.ERROR, i.at, error=i.kind, message=message, control_deps=state.control)
            case ins.Assume():
                state.control |= self.deps(frame, i.condition)
                if not self.value(frame, i.condition):
                    return Action(Kind.BLOCK, i.at)
            case ins.Fail():
                return Action(Kind.ERROR, i.at, error=i.kind, message=i.message, control_deps=state.control)
            case ins.Print():
                state.output += (formatted(i.format, [self.value(frame, a) for a in i.args]),)
            case ins.SpinHead():
                if self._spins(state, frame, i):
                    return Action(Kind.BLOCK, i.at, message="spin", spin=i.at)
            case ins.Alloca() | ins.Scope() | ins.ThreadLocalAddress() | ins.Self():
                self.own(state, frame, i)
            case ins.Sync():
                message = f"{i.op.value} was not lowered (program/passes/synchronisation.py)"
                return Action(Kind.ERROR, i.at, error=ErrorKind.UNSUPPORTED, message=message)
            case _:
                return self._visible(state, frame, i)
        frame.pc += 1
        return None

    def _call(self, state: ThreadState, frame: Frame, i: ins.Call) -> Action | None:
        self.ran.add((state.thread, frame.function.name, frame.pc))
        target = self.value(frame, i.callee)
        index, rest = divmod(target - FUNCTIONS, GAP)
        if rest or not 0 <= index < len(self.program.functions):
            message = f"call through {target:#x}, which is not a function"
            return Action(Kind.ERROR, i.at, error=ErrorKind.BAD_CALL, message=message)
        if len(state.frames) >= MAX_DEPTH:
            message = f"calls nest deeper than {MAX_DEPTH}"
            return Action(Kind.ERROR, i.at, error=ErrorKind.STACK_OVERFLOW, message=message)
        state.control |= self.deps(frame, i.callee)
        args = tuple(self.value(frame, a) for a in i.args)
        deps = tuple(self.deps(frame, a) for a in i.args)
        function = self.program.functions[index]
        if len(args) < function.parameters:
            message = f"{function.name} takes {function.parameters} argument(s) and got {len(args)}"
            return Action(Kind.ERROR, i.at, error=ErrorKind.BAD_CALL, message=message)
        frame.pc += 1
        state.frames.append(self._frame(function, args, deps, i.dst))
        state.frames[-1].private_top = state.tops.get(PRIVATE, GAP)
        for k in range(function.parameters if frame.unset else 0):
            self.mark_unset(state.frames[-1], Reg(k), self.unset(frame, i.args[k]))
        return None

    def _return(self, state: ThreadState, frame: Frame, i: ins.Return) -> Action | None:
        value = self.value(frame, i.value) if i.value is not None else 0
        if len(state.frames) == 1:
            return self._end(state, i, value)
        deps = self.deps(frame, i.value)
        state.frames.pop()
        self.release_private(state, frame.private_top)
        state.over |= {address: state.objects[address] for address in frame.objects}
        self.set(state.frames[-1], frame.result, value, deps)
        self.mark_unset(state.frames[-1], frame.result, self.unset(frame, i.value))
        return None

    def _end(self, state: ThreadState, i: Instruction, value: int) -> Action:
        state.final = tuple(state.frames[0].values)
        return Action(Kind.END, i.at, value=value)

    def _spins(self, state: ThreadState, frame: Frame, i: ins.SpinHead) -> bool:
        registers = tuple((self.value(frame, o), self.unset(frame, o)) for o in i.live)
        private = tuple(sorted((a, b[0]) for a, b in state.private.items() if b[0] != self.private_initial(a)))
        sums = sorted((a, n) for a, n in state.balance.items() if n) if i.undoes else state.sums
        own = private, tuple(sorted(state.unset.items())), self.ended(state)
        now = (registers, own, state.effects, sums)
        same = frame.spins.get(i.loop) == now
        frame.spins[i.loop] = now
        return same

    def _visible(self, state: ThreadState, frame: Frame, i: Instruction) -> Action | None:
        control = state.control
        address_operand: Operand | None = getattr(i, "address", None)
        address = self.value(frame, address_operand) if address_operand is not None else 0
        where = self.deps(frame, address_operand)
        size = getattr(i, "size", 0)
        if address_operand is not None and not isinstance(i, ins.Free):
            if address & REGION_MASK in (PRIVATE, THREAD_LOCAL):
                return self._private_access(state, frame, i, address)
            fault = self.fault(address, size, writes=not isinstance(i, ins.Load | ins.Await))
            if any(start <= address < start + length for start, length in state.over.items()):
                fault = ErrorKind.USE_AFTER_FREE, "access to a local variable that is gone"
            if fault is not None:
                return Action(Kind.ERROR, i.at, error=fault[0], message=fault[1], address=address, size=size)
            if self.program.cuts:
                whole = address, size
                address, size = self.piece(state, address, size)
                if (address, size) != whole and not _may_be_cut(i):
                    message = "an atomic access to memory that others access in parts"
                    return Action(Kind.ERROR, i.at, *whole, error=ErrorKind.MIXED_SIZE, message=message)
        match i:
            case ins.Load():
                part = Part.EXCLUSIVE if i.exclusive else Part.LOAD
                return Action(Kind.READ, i.at, address, size, mode=i.mode, part=part, address_deps=where,
                              control_deps=control, tag=i.tag)  # fmt: skip
            case ins.Store():
                value = to_unsigned(self.value(frame, i.value) >> 8 * state.piece, 8 * size)
                return Action(Kind.WRITE, i.at, address, size, value, mode=i.mode, address_deps=where,
                              data_deps=self.deps(frame, i.value), control_deps=control, tag=i.tag,
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
                low, high = to_signed(self.value(frame, i.low)), to_signed(self.value(frame, i.high))
                if low > high:
                    return Action(Kind.BLOCK, i.at, message=f"choose({low}..{high}) is empty")
                return Action(Kind.CHOOSE, i.at, value=low, high=high, control_deps=control)
            case ins.Malloc():
                return Action(Kind.MALLOC, i.at, value=self.value(frame, i.size), control_deps=control)
            case ins.Free():
                return Action(Kind.FREE, i.at, address, address_deps=where, control_deps=control)
            case ins.Spawn():
                index = (self.value(frame, i.function) - FUNCTIONS) // GAP
                args = tuple(self.value(frame, a) for a in i.args)
                return Action(Kind.SPAWN, i.at, function=self.program.functions[index].name, args=args,
                              control_deps=control)  # fmt: skip
            case ins.Join():
                return Action(Kind.JOIN, i.at, value=self.value(frame, i.thread), control_deps=control)
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

    def _store_conditional(
        self, state: ThreadState, frame: Frame, i: ins.StoreConditional, address: int, where: Deps
    ) -> Action | None:
        reserved = next((event for event, start, _ in state.reservation if start == address), None)
        state.reservation = tuple(r for r in state.reservation if r[1] != address) if reserved is not None else ()
        if reserved is None:
            self.set(frame, i.dst, 0, NO_DEPS)
            frame.pc += 1
            return None
        return Action(
            Kind.WRITE, i.at, address, i.size, to_unsigned(self.value(frame, i.value), 8 * i.size), mode=i.mode,
            conditional=reserved, may_fail=i.may_fail, address_deps=where,
            data_deps=self.deps(frame, i.value), control_deps=state.control,
        )  # fmt: skip

    # --- the answer to an action

    def _finish(self, state: ThreadState, action: Action, value: int, event: Deps, number: int) -> None:
        frame = state.frames[-1]
        i = frame.function.code[frame.pc]
        if action.kind in (Kind.WRITE, Kind.FREE, Kind.MALLOC, Kind.CHOOSE, Kind.SPAWN):
            state.effects += 1
        if isinstance(i, ins.Load | ins.Store) and action.size != i.size:
            frame.pc += self.last_piece(state, frame, i, action.size, value, event)
            return
        match i:
            case ins.AtomicBegin() | ins.AtomicEnd():
                state.blocks = int(isinstance(i, ins.AtomicBegin))
            case ins.Load():
                self.set(frame, i.dst, value, event)
                if i.exclusive:
                    _reserve(state, i, action.address, number)
            case ins.StoreConditional():
                state.reservation = state.reservation if value else ()
                # only RISC-V lets dependencies start at the success register
                self.set(frame, i.dst, value, event if self.program.arch is Arch.RISCV else NO_DEPS)
            case ins.Rmw():
                self._finish_update(state, action, i, value, event)
                return
            case ins.Cas():
                if self._finish_exchange(state, action, i, value, event):
                    return
            case ins.BlockingCas():
                new = to_unsigned(self.value(frame, i.desired), 8 * i.size)
                compared = event | self.deps(frame, i.expected)
                self._second_half(state, action, new, self.deps(frame, i.desired), compared=compared)
                state.control |= NO_DEPS if self.scoped else compared
                return
            case ins.Await():
                self.set(frame, i.dst, value, event)
                state.control |= NO_DEPS if self.scoped else event | self.deps(frame, i.operand, i.mask)
            case ins.Choose():
                self.set(frame, i.dst, value, self.deps(frame, i.low, i.high))
            case ins.Malloc():
                address = self.allocate(state, HEAP, action.value, i.align)
                state.objects[address] = action.value
                self.note(frame, address, action.value)
                self.set(frame, i.dst, address, NO_DEPS)
            case ins.Spawn() | ins.Join():
                self.set(frame, i.dst, value, event)
        frame.pc += 1

    def _finish_update(self, state: ThreadState, action: Action, i: ins.Rmw, value: int, event: Deps) -> None:
        frame = state.frames[-1]
        new = update(i.op, i.size, value, self.value(frame, i.value))
        deps = self.deps(frame, i.value) | (NO_DEPS if i.op is RmwOp.XCHG else event)
        by = to_signed(self.value(frame, i.value), 8 * i.size)
        self.set(frame, i.dst, value, event)
        self._second_half(state, action, new, deps, value)
        if new != value and i.op in (RmwOp.ADD, RmwOp.SUB):
            state.effects -= 1
            state.sums += 1
            old = state.balance.get(action.address, 0)
            state.balance[action.address] = old + (by if i.op is RmwOp.ADD else -by)

    def _finish_exchange(self, state: ThreadState, action: Action, i: ins.Cas, value: int, event: Deps) -> bool:
        """Whether it writes."""
        frame, width = state.frames[-1], 8 * i.size
        expected, desired = self.value(frame, i.expected), self.value(frame, i.desired)
        deps, compared = self.deps(frame, i.desired), self.deps(frame, i.expected)
        done = to_unsigned(value, width) == to_unsigned(expected, width)
        decided = picked(compared | event) if self.picks else compared | event
        origin = compared | picked(event) if done and i.alternative else event
        self.set(frame, i.old, value, origin)
        self.set(frame, i.success, int(done), decided)
        if done or i.alternative:
            new = to_unsigned(desired if done else value, width)
            self._second_half(
                state, action, new, deps if done else event, to_unsigned(value, width), compared=decided
            )  # fmt: skip
        return done or i.alternative

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
        self.ran.add((state.thread, frame.function.name, frame.pc))
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
            if start in state.over:
                message = "access to a local variable behind the end of its block"
                return Action(Kind.ERROR, i.at, error=ErrorKind.USE_AFTER_FREE, message=message)
        if (fault := misaligned(address, size)) is not None:
            return Action(Kind.ERROR, i.at, error=fault[0], message=fault[1])
        old, deps = self.private_read(state, address, size)
        unread = self.unset_in_memory(state, address, size)
        match i:
            case ins.Load():
                self.set(frame, i.dst, old, deps)
                self.mark_unset(frame, i.dst, unread)
            case ins.Store() | ins.StoreConditional():
                value, written = self.value(frame, i.value), self.deps(frame, i.value)
                self.private_write(state, address, size, value, written, self.unset(frame, i.value))
                if isinstance(i, ins.StoreConditional):
                    self.set(frame, i.dst, 1, NO_DEPS)
            case ins.Rmw():
                new = update(i.op, size, old, self.value(frame, i.value))
                kept = self.unset(frame, i.value) | (0 if i.op is RmwOp.XCHG else unread)
                self.private_write(state, address, size, new, deps | self.deps(frame, i.value), kept)
                self.set(frame, i.dst, old, deps)
                self.mark_unset(frame, i.dst, unread)
            case ins.Cas():
                self._private_exchange(state, frame, i, address)
            case ins.Await() | ins.BlockingCas() if unread:
                message = "a wait for memory that nobody has written"
                return Action(Kind.ERROR, i.at, error=ErrorKind.UNINITIALISED, message=message)
            case ins.Await() | ins.BlockingCas():
                if not self.satisfied(state, old):
                    return Action(Kind.BLOCK, i.at, address, spin=i.spin, alone=True, message=_ALONE)
                if isinstance(i, ins.BlockingCas):
                    unset = self.unset(frame, i.desired)
                    self.private_write(state, address, size, self.value(frame, i.desired), NO_DEPS, unset)
                else:
                    self.set(frame, i.dst, old, deps)
        frame.pc += 1
        return None

    def _private_exchange(self, state: ThreadState, frame: Frame, i: ins.Cas, address: int) -> None:
        old, deps = self.private_read(state, address, i.size)
        unread, width = self.unset_in_memory(state, address, i.size), 8 * i.size
        expected, compared = self.value(frame, i.expected), self.deps(frame, i.expected)
        both = unread | self.unset(frame, i.expected)
        whole = both == to_unsigned(-1, width)  # in part: there may be gaps in what it compares
        decides = unset_bits(Op.EQ, width, (old, expected), (both, 0)) if whole else 0
        done = old == to_unsigned(expected, width)
        if done:
            desired = self.value(frame, i.desired), self.deps(frame, i.desired), self.unset(frame, i.desired)
            self.private_write(state, address, i.size, *desired)
        self.set(frame, i.old, old, deps)
        self.mark_unset(frame, i.old, unread)
        self.set(frame, i.success, int(done), deps | compared)
        self.mark_unset(frame, i.success, decides)


def _may_be_cut(i: Instruction) -> bool:
    """Only what is not atomic may come in pieces."""
    return isinstance(i, ins.Load | ins.Store) and i.mode is Mode.NA and not getattr(i, "exclusive", False)


def _reserve(state: ThreadState, i: ins.Load, address: int, number: int) -> None:
    """An exclusive load of one address; or of one more piece, in the same block right after the piece before it."""
    goes_on = state.blocks > 0 and state.reserving and state.reservation and state.reservation[-1][2] == i.at
    state.reservation = (*(state.reservation if goes_on else ()), (number, address, i.at))
