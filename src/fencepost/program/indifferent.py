"""Values of any size that make no difference: what `main` does with one before the first thread starts leaves the same
memory whatever it is, but for places that nothing looks at afterwards (the seed of numbers that do not matter).

`main` is alone until then, so one run says it all. It is made here with the value unknown, bit by bit (`Bits`). Where a
branch depends on it, both ways are gone until the function returns, and are then one state again, with what differs
unknown. If all ways come to the first thread, none with an error, and the unknown bits are where nobody will read, then
the program does the same for every value, and any one stands for all. Each step takes more states for possible than
there are, never fewer; whatever is not understood here ends the attempt. Unknown bits may be left in thread-local
objects: the program is changed so that `main` finds out if it reads one of them later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from fencepost.program import instructions as ins
from fencepost.program.actions import Action, Frame, Kind, ThreadState
from fencepost.program.arithmetic import ArithmeticFault
from fencepost.program.instructions import ErrorKind
from fencepost.program.interpret import Machine
from fencepost.program.layout import HEAP, REGION_MASK, STACK, THREAD_LOCAL, THREAD_SHIFT
from fencepost.program.operands import Const, Operand, Reg
from fencepost.program.passes.flow import reachable
from fencepost.program.passes.known_bits import Bits, Number, Undecided, bits, joined, known_result
from fencepost.program.passes.rewrite import Registers, expand, inside, map_functions, used
from fencepost.program.program import Function, Object, Program
from fencepost.records import dataclass, field, replace

_MOST = 200_000  # instructions on all ways together
Place = tuple[str, int]  # an instruction: its function, and its number there


def settle(program: Program, what: str) -> Program:
    """The program in which open choices of `main` before the first thread are made, if their values make no difference.
    Where that cannot be said after all, because of what `main` does later, the program fails with `what`."""
    if len(program.threads) != 1:
        return program
    run = _Run(program)
    try:
        left = run.left_unknown()
    except (Undecided, ArithmeticFault, RecursionError):
        return program
    return _Settled(frozenset(run.met), left, what).program(program) if run.met else program


@dataclass(slots=True)
class _State:
    """The one thread, and the memory that others could reach."""

    thread: ThreadState
    memory: dict[int, Number] = field(default_factory=dict)
    zeroed: frozenset[int] = frozenset()  # objects of the heap
    freed: frozenset[int] = frozenset()

    def clone(self) -> _State:
        return replace(self, thread=self.thread.clone(), memory=dict(self.memory))

    @property
    def depth(self) -> int:
        return len(self.thread.frames)


class _Unknowing(Machine):
    """Computes with numbers that are not all known."""

    def _step(self, state: ThreadState) -> Action | None:
        frame = state.frames[-1]
        i = frame.function.code[frame.pc]
        if isinstance(i, ins.Compute):
            if any(self.unset(frame, a) for a in i.args):
                raise Undecided
            args: tuple[Number, ...] = tuple(self.value(frame, a) for a in i.args)
            self.set(frame, i.dst, known_result(i.op, i.width, args), frozenset())  # type: ignore[arg-type]
            frame.pc += 1
            return None
        if isinstance(i, ins.Cas) and i.weak:
            raise Undecided  # it may fail for no reason
        return super()._step(state)


class _Run:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.machine = _Unknowing(program)
        self.steps = 0
        self.met: set[Place] = set()

    def left_unknown(self) -> frozenset[str]:
        """The thread-local objects of which bits are not known in the end; all else is known, or never looked at."""
        state = self._until(_State(self.machine.start(0)), 0)
        if any(isinstance(byte, Bits) for byte in state.memory.values()) or any(map(_is_used, state.thread.frames)):
            raise Undecided
        return frozenset(
            self._thread_local(at) for at, (byte, _) in state.thread.private.items() if isinstance(byte, Bits)
        )

    def _until(self, state: _State, depth: int) -> _State:
        """Goes on until the thread has come back to fewer than so many calls, or (0) to the first thread."""
        while state.depth >= depth:
            self.steps += 1
            if self.steps > _MOST:
                raise Undecided
            if ways := self._ways(state):
                state = reduce(self._either, [self._until(way, state.depth) for way in ways])
                continue
            thread = state.thread
            thread.pending = action = thread.pending_write or self.machine._step(thread)
            if action is None:
                continue
            if action.kind in (Kind.SPAWN, Kind.END):
                if depth:
                    raise Undecided
                return state
            self._answer(state, action)
        return state

    def _ways(self, state: _State) -> list[_State]:
        """Both ways of a branch that depends on what is not known."""
        frame, i = state.thread.frames[-1], state.thread.instruction()
        if state.thread.pending_write is not None or not isinstance(i, ins.Branch):
            return []
        condition: Number = self.machine.value(frame, i.condition)
        if not isinstance(condition, Bits):
            return []
        found = []
        for target in (i.then,) if condition.value else (i.then, i.otherwise):
            found.append(state.clone())
            found[-1].thread.frames[-1].pc = target
        return found

    # --- memory

    def _answer(self, state: _State, action: Action) -> None:
        thread, i = state.thread, state.thread.instruction()
        value: Number = 0
        match action.kind:
            case Kind.READ if not getattr(i, "exclusive", False):
                value = self._read(state, action.address, action.size)
                if not self.machine.satisfied(thread, value):  # type: ignore[arg-type]
                    raise Undecided
            case Kind.WRITE if action.conditional is None:
                self._check(state, action.address, action.size)
                written: Number = action.value
                for k in range(action.size):
                    state.memory[action.address + k] = (written >> 8 * k) & 0xFF
            case Kind.CHOOSE if isinstance(i, ins.Choose) and i.open:
                frame = thread.frames[-1]
                self.met.add((frame.function.name, frame.pc))
                value = bits(0, (1 << (64 if action.value < 0 else action.high.bit_length())) - 1)
            case Kind.FREE:
                self._free(state, action.address)
            case Kind.MALLOC | Kind.FENCE | Kind.ATOMIC_BEGIN | Kind.ATOMIC_END:
                pass
            case _:
                raise Undecided
        before = len(thread.objects)
        self.machine.reply(thread, value)  # type: ignore[arg-type]
        if len(thread.objects) > before and isinstance(i, ins.Malloc) and i.zeroed:
            state.zeroed |= {list(thread.objects)[-1]}

    def _free(self, state: _State, address: int) -> None:
        if address and (address not in state.thread.objects or address in state.freed):
            raise Undecided
        state.freed |= {address}

    def _check(self, state: _State, address: int, size: int) -> int | None:
        """Whether the access is beyond doubt; the start of the object, unless it is a global one."""
        if address & REGION_MASK not in (STACK, HEAP):
            return None  # the machine has looked
        start = max((a for a in state.thread.objects if a <= address), default=None)
        if start is None or start in state.freed or address - start + size > state.thread.objects[start]:
            raise Undecided
        return start

    def _read(self, state: _State, address: int, size: int) -> Number:
        start = self._check(state, address, size)
        value: Number = 0
        for k in range(size):
            byte = state.memory.get(address + k)
            if byte is None:
                if start is not None and start not in state.zeroed:
                    raise Undecided  # nobody wrote it
                byte = self.machine.memory.get(address + k, 0)
            value |= byte << 8 * k
        return value

    # --- two ways that meet again

    def _either(self, a: _State, b: _State) -> _State:
        """What is known where the state is one of two."""
        x, y = a.thread, b.thread
        alike = (
            x.tops == y.tops and x.objects == y.objects and x.private_objects == y.private_objects
            and x.output == y.output and x.blocks == y.blocks and x.reservation == y.reservation
            and x.piece == y.piece == 0 and x.unset == y.unset and x.over == y.over
            and a.zeroed == b.zeroed and a.freed == b.freed and len(x.frames) == len(y.frames)
        )  # fmt: skip
        if not alike:
            raise Undecided
        frames = [_either_frame(f, g) for f, g in zip(x.frames, y.frames, strict=True)]
        private: dict[int, tuple[Number, frozenset[int]]] = {}
        for at in x.private.keys() | y.private.keys():
            first = (self.machine.private_initial(at), frozenset[int]())
            private[at] = joined(x.private.get(at, first)[0], y.private.get(at, first)[0]), frozenset()
        thread = replace(x, frames=frames, private=private)  # type: ignore[arg-type]
        return replace(a, thread=thread, memory=self._either_memory(a.memory, b.memory))

    def _either_memory(self, a: dict[int, Number], b: dict[int, Number]) -> dict[int, Number]:
        if any(at & REGION_MASK in (STACK, HEAP) for at in a.keys() ^ b.keys()):
            raise Undecided  # one way wrote it and the other did not
        first = self.machine.memory
        return {at: joined(a.get(at, first.get(at, 0)), b.get(at, first.get(at, 0))) for at in a.keys() | b.keys()}

    def _thread_local(self, address: int) -> str:
        """The thread-local object here, if its address goes nowhere."""
        here = address & ~(0xFFF << THREAD_SHIFT)
        for name, start in self.machine.layout.thread_locals.items():
            inside_it = address & REGION_MASK == THREAD_LOCAL and start <= here < start + self.program.object(name).size
            if inside_it and not any(_lets_go(f, name) for f in self.program.functions):
                return name
        raise Undecided


def _either_frame(f: Frame, g: Frame) -> Frame:
    if (f.function, f.pc, f.result, f.private_top, f.unset) != (g.function, g.pc, g.result, g.private_top, g.unset):
        raise Undecided
    values: list[Number] = [joined(a, b) for a, b in zip(f.values, g.values, strict=True)]
    return replace(f, values=values)  # type: ignore[arg-type]


def _lets_go(function: Function, name: str) -> bool:
    """Whether the address of a thread-local object is used for more than to access it."""
    held = {i.dst for i in function.code if isinstance(i, ins.ThreadLocalAddress) and i.object == name}
    return any(held & {o for o in _operands_besides_address(i) if isinstance(o, Reg)} for i in function.code)


def _operands_besides_address(i: ins.Instruction) -> Iterator[Operand]:
    found = list(used(i))
    if isinstance(i, ins.Load | ins.Store | ins.Rmw | ins.Cas):
        found.remove(i.address)
    yield from found


def _is_used(frame: Frame) -> bool:
    """Whether what comes in this call looks at a register that is not all known."""
    unknown = {Reg(n) for n, value in enumerate(frame.values) if isinstance(value, Bits)}
    found = reachable(frame.function, [frame.pc]) if unknown else set()
    return any(unknown & set(used(frame.function.code[n])) for n in found)


# --- the program with the choices made


class _Settled:
    """A thread-local flag says whether `main` has started a thread."""

    def __init__(self, choices: frozenset[Place], unknown: frozenset[str], what: str) -> None:
        self.choices = choices
        self.unknown = unknown
        self.what = what
        self.flag = Object("fencepost.threads", 8, thread_local=True)

    def program(self, program: Program) -> Program:
        changed = map_functions(program, self._function)
        return replace(changed, objects=(*changed.objects, self.flag))

    def _function(self, function: Function) -> Function:
        numbers = {id(i): n for n, i in enumerate(function.code)}

        def change(i: ins.Instruction, registers: Registers) -> Sequence[ins.Instruction]:
            if isinstance(i, ins.Spawn):
                where = registers.fresh("flag")
                flag = ins.ThreadLocalAddress(where, self.flag.name, at=i.at)
                return (flag, ins.Store(where, Const(1), 8, ins.Mode.NA, at=i.at), i)
            if isinstance(i, ins.Choose) and (function.name, numbers[id(i)]) in self.choices:
                code, early = self._early(i, registers)
                early_value = ins.Compute(i.dst, (i.low,), ins.Op.MOV, at=i.at)
                n = len(code)
                return (*code, ins.Branch(early, inside(n + 1), inside(n + 3), at=i.at), early_value,
                        ins.Jump(inside(n + 4), at=i.at), i)  # fmt: skip
            if isinstance(i, ins.ThreadLocalAddress) and i.object in self.unknown:
                code, early = self._early(i, registers, late=True)
                n = len(code)
                fails = ins.Fail(ErrorKind.UNSUPPORTED, self.what, at=i.at)
                return (*code, ins.Branch(early, inside(n + 1), inside(n + 2), at=i.at), fails, i)
            return (i,)

        return expand(function, change)

    def _early(
        self, i: ins.Instruction, registers: Registers, *, late: bool = False
    ) -> tuple[list[ins.Instruction], Reg]:
        """Code that finds out whether this is `main` before the first thread, or (`late`) after it."""
        where, started, who, main, answer = (registers.fresh(n) for n in ("flag", "started", "who", "is main", "early"))
        return [
            ins.ThreadLocalAddress(where, self.flag.name, at=i.at),
            ins.Load(started, where, 8, ins.Mode.NA, at=i.at),
            ins.Compute(started, (started, Const(int(late))), ins.Op.EQ, at=i.at),
            ins.Self(who, at=i.at),
            ins.Compute(main, (who, Const(0)), ins.Op.EQ, at=i.at),
            ins.Compute(answer, (main, started), ins.Op.AND, at=i.at),
        ], answer
