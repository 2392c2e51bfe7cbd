"""Straight programs: what the translations take.

Each thread becomes one function without loops and calls, whose jumps all go forward, made of loads, stores,
computations, conditionals, choices and fences (for POWER `sync lwsync isync eieio`) only. Loops run at most `unroll`
times around, functions nest at most `unroll` deep in themselves; a thread that would go further stops there
(`assume 0`). Awaits become a load and an assume, read-modify-writes a load-reserve and a store-conditional that always
succeeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from heapq import heappop, heappush

from fencepost.bounded.storage import Storage
from fencepost.errors import UnsupportedError
from fencepost.program import instructions as ins
from fencepost.program.arithmetic import ArithmeticFault, compute
from fencepost.program.instructions import FenceKind, Instruction, Mode, Op, RmwOp
from fencepost.program.operands import Const, FunctionAddress, GlobalAddress, Operand, Reg, to_signed, to_unsigned
from fencepost.program.passes.flow import Flow, Loop, successors
from fencepost.program.passes.rewrite import defined, map_operands
from fencepost.program.program import Function, Program, Thread
from fencepost.program.symbols import demangled
from fencepost.records import dataclass

MAX_NODES = 200_000
MAIN, ENDING = "main", "ending"  # the process that is the rest of `main`, and what it does after a join
FENCES = frozenset({FenceKind.SYNC, FenceKind.LWSYNC, FenceKind.ISYNC, FenceKind.EIEIO})
C11_FENCES = frozenset({FenceKind.ACQ, FenceKind.REL, FenceKind.ACQ_REL, FenceKind.SC})


@dataclass(frozen=True, slots=True)
class Place:
    """One frame of an unrolled position: function, instruction, how often each loop around it has gone round (by
    header instruction), and where its result goes. `half`: inside a compare-exchange, 1 where it succeeds, 2 where it
    fails."""

    function: str
    pc: int
    rounds: tuple[tuple[int, int], ...] = ()
    result: Reg | None = None
    half: int = 0


Node = tuple[Place, ...]  # innermost frame last
Constants = dict[int, int]  # registers that are known, with their values


@dataclass(frozen=True, slots=True)
class Start:
    """Where a thread starts: its frames, outermost first, with the values of their registers. Only `main` joins."""

    name: str
    frames: tuple[tuple[str, int, tuple[int, ...], Reg | None], ...]
    index: int = 0

    @property
    def joins(self) -> bool:
        return self.name in (MAIN, ENDING)


def straighten(
    program: Program, unroll: int, starts: Sequence[Start], storage: Storage, ending: Start | None = None,
    *, c11: bool = False,
) -> Program:  # fmt: skip
    """The program with straight threads; the function of `ending`, if there is one, comes last and belongs to none. A
    thread that is `main` ends where it joins another; its ending is the same code, instruction by instruction, with
    the joins. What threads allocate is found in `storage`. `c11`: accesses keep their order, and fences are those of
    C11. Raises UnsupportedError where something has no place in
    such a program."""
    every = [*starts, *([ending] if ending is not None else [])]
    functions = [_Unroller(program, unroll, start, ending is not None, storage, c11).function() for start in every]
    for n, start in enumerate(starts):
        if start.name == MAIN:
            functions[n] = _until_join(functions[n])
    threads = tuple(Thread(s.name, s.name) for s in starts)
    return replace(program, functions=tuple(functions), threads=threads, objects=storage.objects(program))


def _until_join(function: Function) -> Function:
    code = [ins.Return(at=i.at) if isinstance(i, ins.Join) else i for i in function.code]
    return replace(function, code=tuple(code))


class _Code:
    """A function with its loops, each known by the instruction that its header starts with."""

    def __init__(self, function: Function) -> None:
        self.function = function
        flow = Flow(function)
        self.loops: dict[int, frozenset[int]] = {}
        for loop in flow.loops():
            self._add(flow, loop)
        self.live_at_start = flow.live().get(0, 0)
        order = [pc for n in flow.order for pc in range(flow.blocks[n].first, flow.blocks[n].last + 1)]
        self.rank = {pc: rank for rank, pc in enumerate(order)}
        self.around = {pc: sorted((h for h in self.loops if pc in self.loops[h]), key=self._depth) for pc in order}

    def _depth(self, header: int) -> int:
        return -len(self.loops[header])  # the outermost loop first

    def key(self, place: Place, pc: int) -> tuple[int, ...]:
        """Orders the unrolled positions of one frame: what comes later in a run is larger. A loop stands where its
        header stands, round by round."""
        if pc < 0:
            return (1 << 60,)
        rounds, found = dict(place.rounds), list[int]()
        for header in self.around[pc]:
            found += (self.rank[header], rounds.get(header, -1))
        return (*found, self.rank[pc])

    def _add(self, flow: Flow, loop: Loop) -> None:
        if not loop.regular:
            raise UnsupportedError(
                f"{demangled(self.function.name)} jumps into the middle of a loop at {flow.position(loop)}"
            )
        inside = {i for n in loop.blocks for i in range(flow.blocks[n].first, flow.blocks[n].last + 1)}
        self.loops[flow.blocks[loop.header].first] = frozenset(inside)


class _Unroller:
    def __init__(
        self, program: Program, unroll: int, start: Start, has_ending: bool, storage: Storage, c11: bool
    ) -> None:
        self.program, self.unroll, self.start, self.has_ending, self.c11 = program, unroll, start, has_ending, c11
        self.storage, self.functions = storage, storage.layout.functions
        self.codes: dict[str, _Code] = {}
        self.registers: list[str] = []
        self.blocks: dict[tuple[tuple[str, int], ...], int] = {}  # call path -> its first register
        self.emitted: dict[Node, tuple[list[Instruction], tuple[Node, ...]]] = {}
        self.temporary: Reg | None = None

    def code(self, name: str) -> _Code:
        if name not in self.codes:
            self.codes[name] = _Code(self.program.function(name))
        return self.codes[name]

    # --- the graph of unrolled positions

    def function(self) -> Function:
        first = tuple(Place(f, pc, (), result) for f, pc, _, result in self.start.frames)
        entry = self._entry(first)
        order = self._order(first, entry)
        at = dict.fromkeys(order, 0)
        size = len(entry)
        for n, node in enumerate(order):
            at[node] = size
            instructions, after = self.emitted[node]
            falls = len(after) == 1 and n + 1 < len(order) and order[n + 1] == after[0]
            size += len(instructions) + int(len(after) == 1 and not falls)
        code = list(entry)
        for node in order:
            instructions, after = self.emitted[node]
            code += [_aim(i, after, at) for i in instructions]
            if len(after) == 1 and at[after[0]] != len(code):
                code.append(ins.Jump(at[after[0]]))
        return Function(self.start.name, tuple(self.registers), 0, tuple(code))

    def _entry(self, first: Node) -> list[Instruction]:
        """Registers of the frames that the thread starts in, where they do not start as zero."""
        found: list[Instruction] = []
        for depth, (_, _, values, _) in enumerate(self.start.frames):
            base = self._base(first[: depth + 1])
            found += [ins.Compute(Reg(base + n), (Const(to_signed(v)),), Op.MOV) for n, v in enumerate(values) if v]
        return found

    def _order(self, first: Node, entry: list[Instruction]) -> list[Node]:
        """All reachable positions, each before what follows it. Each is looked at when all ways to it are known, with
        the registers that are constant on all of them: what these decide is decided, so that a loop that counts to two
        is copied twice whatever the bound."""
        done: list[Node] = []
        known: dict[Node, Constants] = {first: _constants(entry, {})}
        todo = [(self._key(first), 0, first)]
        while todo:
            _, _, node = heappop(todo)
            done.append(node)
            constants = known.pop(node)
            after = self._visit(node, constants)
            constants = _constants(self.emitted[node][0], constants)
            for target in dict.fromkeys(after):
                assert target not in self.emitted, "an unrolled position should come after every way to it"
                if target in known:
                    known[target] = _agreed(known[target], constants)
                else:
                    known[target] = constants
                    heappush(todo, (self._key(target), len(done) + len(todo), target))
        return done

    def _key(self, node: Node) -> tuple[int, ...]:
        """Inside a call everything comes after the call and before what follows it."""
        found: list[int] = []
        for place in node[:-1]:
            found += (*self.code(place.function).key(place, place.pc - 1), 1 << 30)
        last = node[-1]
        return (*found, *self.code(last.function).key(last, last.pc), last.half)

    def _visit(self, node: Node, constants: Constants) -> tuple[Node, ...]:
        if len(self.emitted) > MAX_NODES:
            raise UnsupportedError(f"{demangled(self.start.name)} has more than {MAX_NODES} instructions once unrolled")
        instructions, after = self._expand(node)
        instructions, after = _decide(list(instructions), after, constants)
        self.emitted[node] = (instructions, after)
        return after

    # --- one position

    def _expand(self, node: Node) -> tuple[Sequence[Instruction], tuple[Node, ...]]:
        place = node[-1]
        if place.pc < 0:
            return [ins.Assume(Const(0)), ins.Return()], ()
        original = self.program.function(place.function).code[place.pc]
        base = self._base(node)
        i = map_operands(original, lambda o: self._operand(o, base))
        nexts = self._nexts(node, original)
        match i:
            case ins.Jump() | ins.SpinHead() | ins.Print() | ins.Scope():
                return [], nexts
            case ins.Return() if len(node) > 1:
                return self._return(node, i)
            case ins.Exit(process=True) if self.has_ending and self.start.index:  # nobody joins it any more
                return [ins.Assume(Const(0), at=i.at), ins.Return()], ()
            case ins.Join() if self.start.joins:
                return [i], nexts
            case ins.Return(value=value) | ins.Exit(value=value):  # what others do, they can do before the end
                return [ins.Return(value, at=i.at)], ()
            case ins.Fail(kind=ins.ErrorKind.LOOP_BOUND):
                return [ins.Assume(Const(0), at=i.at), ins.Return()], ()
            case ins.Fail():
                return [i], ()
            case ins.Call():
                return self._call(node, i)
            case ins.Alloca() | ins.Malloc() | ins.ThreadLocalAddress():
                return [ins.Compute(i.dst, (self._address(i),), Op.MOV, at=i.at)], nexts
            case ins.Free():  # whether it is too early is for `fencepost check` to find
                return [], nexts
            case ins.Cas():
                return self._cas(node, i, nexts)
            case ins.Self(dst=dst):
                return [ins.Compute(dst, (Const(self.start.index),), Op.MOV, at=i.at)], nexts
            case ins.Branch(condition=condition) if nexts[0] == nexts[-1]:
                return [ins.Branch(condition, 0, 0, at=i.at)], (nexts[0],)
            case _:
                return list(self._plain(i)), nexts

    def _operand(self, operand: Operand, base: int) -> Operand:
        """Registers have their place in the frame; functions are numbers, as they are in memory."""
        match operand:
            case Reg(index):
                return Reg(index + base)
            case FunctionAddress(name):
                return Const(self.functions[name])
        return operand

    def _address(self, i: ins.Alloca | ins.Malloc | ins.ThreadLocalAddress) -> GlobalAddress:
        if isinstance(i, ins.ThreadLocalAddress):
            return self.storage.thread_local(i.object, self.start.index)
        if not isinstance(i.size, Const):
            raise UnsupportedError(f"the size of the memory that is allocated at {i.at} is not constant")
        return self.storage.allocate(i, i.size.value)

    def _plain(self, i: Instruction) -> Iterator[Instruction]:
        match i:
            case ins.Choose(low=low, high=high) if isinstance(low, Reg) or isinstance(high, Reg):
                raise UnsupportedError(f"the bounds of the choice at {i.at} are not constant")
            case ins.Compute() | ins.Branch() | ins.Switch() | ins.Assert() | ins.Assume() | ins.Choose():
                yield i
            case ins.Store() | ins.Load() | ins.StoreConditional():
                yield replace(i, mode=self._mode(i.mode))
            case ins.Fence(kind=kind) if kind in (C11_FENCES if self.c11 else FENCES):
                yield i
            case ins.Await():
                yield from self._await(i)
            case ins.Rmw():
                yield from self._rmw(i)
            case ins.BlockingCas():
                yield from self._blocking_cas(i)
            case _:
                name = f"fence {i.kind.value}" if isinstance(i, ins.Fence) else i.mnemonic
                where = "the bounded search" if self.c11 else "context-bounded POWER"
                raise UnsupportedError(f"{name} at {i.at} has no meaning in {where}")

    def _await(self, i: ins.Await) -> Iterator[Instruction]:
        value = i.dst if i.dst is not None else self._scratch()
        yield ins.Load(value, i.address, i.size, self._mode(i.mode), at=i.at)
        test: Reg = self._scratch(2)
        if i.mask is not None:
            yield ins.Compute(test, (value, i.mask), Op.AND, at=i.at)
            yield ins.Compute(test, (test, i.operand), i.op, 8 * i.size, at=i.at)
        else:
            yield ins.Compute(test, (value, i.operand), i.op, 8 * i.size, at=i.at)
        yield ins.Assume(test, at=i.at)

    def _rmw(self, i: ins.Rmw) -> Iterator[Instruction]:
        old, new, done = self._scratch(3), self._scratch(4), self._scratch(5)
        yield ins.Load(old, i.address, i.size, exclusive=True, at=i.at)
        yield from _update(i, old, new)
        yield ins.StoreConditional(done, i.address, new, i.size, self._mode(i.mode), may_fail=False, at=i.at)
        if i.dst is not None:
            yield ins.Compute(i.dst, (old,), Op.MOV, at=i.at)

    def _blocking_cas(self, i: ins.BlockingCas) -> Iterator[Instruction]:
        old, same, done = self._scratch(3), self._scratch(4), self._scratch(5)
        yield ins.Load(old, i.address, i.size, exclusive=True, at=i.at)
        yield ins.Compute(same, (old, i.expected), Op.EQ, 8 * i.size, at=i.at)
        yield ins.Assume(same, at=i.at)
        yield ins.StoreConditional(done, i.address, i.desired, i.size, self._mode(i.mode), may_fail=False, at=i.at)

    def _mode(self, mode: Mode) -> Mode:
        """The order of an access. An update is a relaxed load and a store that has the order of both."""
        return mode if self.c11 else Mode.RLX

    def _cas(self, node: Node, i: ins.Cas, nexts: tuple[Node, ...]) -> tuple[Sequence[Instruction], tuple[Node, ...]]:
        """A load-reserve, a branch, and a store-conditional where it found what was expected."""
        place, old, same, done = node[-1], self._scratch(3), self._scratch(4), self._scratch(5)
        if place.half == 0:
            code = [
                ins.Load(old, i.address, i.size, self._mode(i.failure), exclusive=True, at=i.at),
                ins.Compute(same, (old, i.expected), Op.EQ, 8 * i.size, at=i.at),
                ins.Branch(same, 0, 0, at=i.at),
            ]
            return code, tuple((*node[:-1], replace(place, half=half)) for half in (1, 2))
        results: list[Instruction] = []
        if place.half == 1:
            mode = self._mode(i.mode)
            results.append(ins.StoreConditional(done, i.address, i.desired, i.size, mode, may_fail=False, at=i.at))
        for register, value in ((i.old, old), (i.success, same)):
            if register is not None:
                results.append(ins.Compute(register, (value,), Op.MOV, at=i.at))
        return results, nexts

    def _scratch(self, which: int = 1) -> Reg:
        name = f"scratch.{which}"
        if name not in self.registers:
            self.registers.append(name)
        return Reg(self.registers.index(name))

    def _call(self, node: Node, i: ins.Call) -> tuple[Sequence[Instruction], tuple[Node, ...]]:
        """A call through a pointer is a branch for each function that it may be."""
        if not isinstance(i.callee, Reg):
            return self._inline(node, i, self._function(i.callee))
        place, candidates = node[-1], self._candidates(i)
        which, calls = divmod(place.half, 2)
        if calls:
            return self._inline(node, i, candidates[which])
        if which == len(candidates):
            return [ins.Fail(ins.ErrorKind.BAD_CALL, "call through a pointer that is not such a function", at=i.at)], ()
        same = self._scratch(4)
        test = ins.Compute(same, (i.callee, Const(self.functions[candidates[which]])), Op.EQ, at=i.at)
        after = tuple((*node[:-1], replace(place, half=half)) for half in (place.half + 1, place.half + 2))
        return [test, ins.Branch(same, 0, 0, at=i.at)], after

    def _function(self, callee: Operand) -> str:
        assert isinstance(callee, Const), "the address of a function should be a number"
        return next(name for name, address in self.functions.items() if address == callee.value)

    def _candidates(self, i: ins.Call) -> list[str]:
        """The functions that a pointer can be the address of, and that take so many arguments."""
        fitting = (f.name for f in self.program.functions if f.parameters == len(i.args))
        return [name for name in fitting if name in self.storage.named]

    def _inline(self, node: Node, i: ins.Call, name: str) -> tuple[Sequence[Instruction], tuple[Node, ...]]:
        if sum(p.function == name for p in node) > self.unroll:
            return [ins.Assume(Const(0), at=i.at), ins.Return()], ()
        place = node[-1]
        back = replace(place, pc=place.pc + 1, half=0)
        callee = (*node[:-1], self._settled(back), Place(name, 0, (), i.dst))
        base, code = self._base(callee), self.code(name)
        moves: list[Instruction] = []
        for n in range(len(code.function.registers)):
            if n < code.function.parameters and n < len(i.args):
                moves.append(ins.Compute(Reg(base + n), (i.args[n],), Op.MOV, at=i.at))
            elif code.live_at_start >> n & 1:
                moves.append(ins.Compute(Reg(base + n), (Const(0),), Op.MOV, at=i.at))
        return moves, (callee,)

    def _return(self, node: Node, i: ins.Return) -> tuple[Sequence[Instruction], tuple[Node, ...]]:
        result = node[-1].result
        if result is None:
            return [], (node[:-1],)
        value: Operand = i.value if i.value is not None else Const(0)
        return [ins.Compute(result, (value,), Op.MOV, at=i.at)], (node[:-1],)

    def _nexts(self, node: Node, i: Instruction) -> tuple[Node, ...]:
        place = node[-1]
        targets = successors(place.pc, i)
        if isinstance(i, ins.Switch):
            targets = (*i.targets, i.default)
        elif isinstance(i, ins.Branch):
            targets = (i.then, i.otherwise)
        return tuple((*node[:-1], self._move(place, t)) for t in targets)

    def _move(self, place: Place, pc: int) -> Place:
        """The position after a step to `pc`: a step back to the header of a loop that we are in is a round of it."""
        loops = self.code(place.function).loops
        rounds = dict(place.rounds)
        if pc in loops:
            rounds[pc] = rounds[pc] + 1 if pc in rounds and place.pc in loops[pc] else 0
            if rounds[pc] > self.unroll:
                return replace(place, pc=-1, rounds=())
        return self._settled(Place(place.function, pc, tuple(sorted(rounds.items())), place.result))

    def _settled(self, place: Place) -> Place:
        """Forgets the rounds of loops that the position is not in, so that ways out of a loop meet again."""
        loops = self.code(place.function).loops
        return replace(place, rounds=tuple((h, n) for h, n in place.rounds if place.pc in loops[h]))

    def _base(self, node: Node) -> int:
        """The first register of the innermost frame: calls from the same place share theirs."""
        key = tuple((p.function, p.pc if n + 1 < len(node) else -1) for n, p in enumerate(node))
        if key not in self.blocks:
            self.blocks[key] = len(self.registers)
            stem = "" if len(node) == 1 else f"{node[-1].function}.{len(self.blocks)}."
            self.registers += [stem + r for r in self.program.function(node[-1].function).registers]
        return self.blocks[key]


_UPDATES = {RmwOp.ADD: Op.ADD, RmwOp.SUB: Op.SUB, RmwOp.AND: Op.AND, RmwOp.OR: Op.OR, RmwOp.XOR: Op.XOR}
_BETTER = {RmwOp.MAX: Op.SGT, RmwOp.MIN: Op.SLT, RmwOp.UMAX: Op.UGT, RmwOp.UMIN: Op.ULT}


def _update(i: ins.Rmw, old: Reg, new: Reg) -> Iterator[Instruction]:
    """What a read-modify-write stores, in `new`."""
    width = 8 * i.size
    if i.op is RmwOp.XCHG:
        yield ins.Compute(new, (i.value,), Op.MOV, width, at=i.at)
    elif i.op in _UPDATES:
        yield ins.Compute(new, (old, i.value), _UPDATES[i.op], width, at=i.at)
    elif i.op is RmwOp.NAND:
        yield ins.Compute(new, (old, i.value), Op.AND, width, at=i.at)
        yield ins.Compute(new, (new, Const(-1)), Op.XOR, width, at=i.at)
    else:
        yield ins.Compute(new, (old, i.value), _BETTER[i.op], width, at=i.at)
        yield ins.Compute(new, (new, old, i.value), Op.SELECT, width, at=i.at)


def _constants(code: Sequence[Instruction], known: Constants) -> Constants:
    """The registers that are constant after some code. What is computed from constants depends on nothing."""
    for i in code:
        for register in defined(i):
            value = _folded(i, known)
            known = {**known}
            known.pop(register.index, None)
            if value is not None:
                known[register.index] = value
    return known


def _folded(i: Instruction, known: Constants) -> int | None:
    if not isinstance(i, ins.Compute):
        return None
    args = tuple(_constant(a, known) for a in i.args)
    given = tuple(a for a in args if a is not None)
    try:
        return compute(i.op, i.width, given) if len(given) == len(args) else None
    except ArithmeticFault:
        return None


def _constant(operand: Operand, known: Constants) -> int | None:
    if isinstance(operand, Const):
        return to_unsigned(operand.value)
    return known.get(operand.index) if isinstance(operand, Reg) else None


def _agreed(a: Constants, b: Constants) -> Constants:
    return a if a is b else {r: v for r, v in a.items() if b.get(r) == v}


def _decide(
    code: list[Instruction], after: tuple[Node, ...], known: Constants
) -> tuple[list[Instruction], tuple[Node, ...]]:
    """Leaves out a branch on a constant."""
    if not code or not isinstance(i := code[-1], ins.Branch | ins.Switch):
        return code, after
    known = _constants(code[:-1], known)
    value = _constant(i.condition if isinstance(i, ins.Branch) else i.value, known)
    if value is None:
        return code, after
    if isinstance(i, ins.Branch):
        return code[:-1], (after[0] if value else after[-1],)
    cases = [_constant(c, known) for c in i.cases]
    return code[:-1], (after[cases.index(value)] if value in cases else after[-1],)


def _aim(i: Instruction, after: tuple[Node, ...], at: dict[Node, int]) -> Instruction:
    match i:
        case ins.Branch():
            return replace(i, then=at[after[0]], otherwise=at[after[-1]])
        case ins.Switch():
            return replace(i, targets=tuple(at[t] for t in after[:-1]), default=at[after[-1]])
    return i
