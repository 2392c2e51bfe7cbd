"""Promela with the monitor built in, for SPIN: what Rocker does, as a second, independent implementation of SCM.

The monitor (`promela_monitors.py`) has its own sets and its own initial state, and shares nothing with the native one.
One array element per row and location; classes of values are bits: bit 0 for all values
that no label tells apart, then one bit per critical value; where a CAS expects a value that is not a constant, bit v is
the value v, and `assert(domain)` guards that values stay below 31.
"""

from __future__ import annotations

from collections.abc import Iterator

from fencepost.errors import UnsupportedError
from fencepost.options import RobustOptions
from fencepost.program import instructions as ins
from fencepost.program.fences import FULL_FENCES
from fencepost.program.instructions import Instruction, Mode, Op, RmwOp
from fencepost.program.layout import Layout, initial_bytes, lay_out
from fencepost.program.operands import Const, FunctionAddress, GlobalAddress, Operand, Reg, to_signed
from fencepost.program.passes.rewrite import defined
from fencepost.program.program import Function, Program
from fencepost.program.symbols import demangled
from fencepost.records import dataclass
from fencepost.robustness.live import live_before
from fencepost.robustness.prepare import passes
from fencepost.robustness.promela_monitors import Rows

CELL = 8
DOMAIN = 31  # values that fit in a set kept in a Promela int
_BINARY = {
    Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.AND: "&", Op.OR: "|", Op.XOR: "^", Op.SHL: "<<", Op.ASHR: ">>",
    Op.LSHR: ">>", Op.SDIV: "/", Op.SREM: "%", Op.UDIV: "/", Op.UREM: "%", Op.EQ: "==", Op.NE: "!=", Op.SLT: "<",
    Op.SLE: "<=", Op.SGT: ">", Op.SGE: ">=", Op.ULT: "<", Op.ULE: "<=", Op.UGT: ">", Op.UGE: ">=",
}  # fmt: skip
_UPDATES = {RmwOp.ADD: "+", RmwOp.SUB: "-", RmwOp.AND: "&", RmwOp.OR: "|", RmwOp.XOR: "^"}
_ACCESSES = (ins.Load, ins.Store, ins.Rmw, ins.Cas, ins.Await, ins.BlockingCas)


def emit(program: Program, against: str = "ra", options: RobustOptions | None = None) -> str:
    """The program as a Promela model whose assertions fail exactly where it is not robust, or races, or fails itself.
    Raises UnsupportedError for what Promela or this translation lacks, with its place."""
    if against not in ("ra", "sra", "tso"):
        raise UnsupportedError(
            f"the Promela export has monitors for ra, sra and tso; use --backend native for {against}"
        )
    return _Emitter(passes(program, against, options), against).text()


@dataclass(slots=True)
class _Cell:
    name: str
    initial: int
    atomic: bool = False
    critical: list[int] | None = None  # None: every value


@dataclass(frozen=True, slots=True)
class _Exposed:
    """An access to a location that is accessed non-atomically somewhere. `register` holds its address, or is empty."""

    thread: int
    label: str
    cells: frozenset[int]
    register: str
    writes: bool
    non_atomic: bool


class _Emitter:
    def __init__(self, program: Program, against: str) -> None:
        self.program, self.against = program, against
        self.layout: Layout = lay_out(program)
        self.threads = len(program.threads)
        self.cells: list[_Cell] = []
        self.start: dict[str, int] = {}
        for o in program.objects:
            self.start[o.name] = len(self.cells)
            content = initial_bytes(program, self.layout)
            at = self.layout.globals.get(o.name, 0)
            for k in range(max(1, o.size // CELL)):
                raw = sum(content.get(at + CELL * k + i, 0) << (8 * i) for i in range(CELL))
                self.cells.append(_Cell(o.name if o.size <= CELL else f"{o.name}[{k}]", to_signed(raw), critical=[]))
        self.touched = {f.name: _provenance(f) for f in program.functions}
        self._survey()
        self.monitored = [k for k, c in enumerate(self.cells) if c.atomic]
        self.count = len(self.cells)
        self.rows = Rows(self.threads, self.count, tuple(self.monitored), against)
        if self.count > DOMAIN:
            raise UnsupportedError(f"the Promela export takes at most {DOMAIN} locations, not {self.count}")
        self.plain = frozenset(
            k for f in program.functions for i in f.code if isinstance(i, _ACCESSES) and self.races(i)
            for k in self._cells_of(f, i.address)
        )  # fmt: skip
        self.exposed: list[_Exposed] = []

    # --- what is accessed how

    def races(self, i: Instruction) -> bool:
        """Whether an access must not be concurrent with others. A machine has no such accesses."""
        return self.against != "tso" and getattr(i, "mode", None) is Mode.NA

    def _survey(self) -> None:
        for f in self.program.functions:
            for i in f.code:
                if not isinstance(i, _ACCESSES):
                    continue
                if i.size != CELL:
                    raise UnsupportedError(f"{i.at}: the Promela export takes 8-byte accesses only")
                for k in self._cells_of(f, i.address):
                    cell = self.cells[k]
                    cell.atomic |= not self.races(i)
                    self._note_critical(cell, i)

    def _note_critical(self, cell: _Cell, i: Instruction) -> None:
        if isinstance(i, ins.Cas | ins.BlockingCas):
            expected = i.expected
        elif isinstance(i, ins.Await):
            if i.op not in (Op.EQ, Op.NE) or i.mask is not None:
                raise UnsupportedError(f"{i.at}: the Promela export waits for = and != only")
            expected = i.operand
        else:
            return
        if not isinstance(expected, Const):
            cell.critical = None
        elif cell.critical is not None and expected.value not in cell.critical:
            cell.critical.append(expected.value)

    def _cells_of(self, f: Function, address: Operand) -> frozenset[int]:
        if isinstance(address, GlobalAddress):
            return frozenset({self.start[address.name] + address.offset // CELL})
        names = self.touched[f.name].get(address.index) if isinstance(address, Reg) else None
        objects = [o for o in self.program.objects if names is None or o.name in names]
        return frozenset(self.start[o.name] + k for o in objects for k in range(max(1, o.size // CELL)))

    # --- the model

    def text(self) -> str:
        for t in range(self.threads):
            _Body(self, t).text()  # finds the accesses that may race with each other
        self.exposed = list(dict.fromkeys(self.exposed))
        bodies = [_Body(self, t).text() for t in range(self.threads)]
        head = [
            f"/* {self.program.name}: robustness against {self.against}, by the monitor of Lahav and Margalit (2019)",
            "   run: spin -o3 -a FILE && cc -O2 -DSAFETY -o pan pan.c && ./pan -E */",
            f"#define L {self.count}",
            "#ifdef KEEP_GOING /* an assertion of the program that fails ends its thread, and the search goes on */",
            "#define USER_ASSERT(c) (c)", "#else", "#define USER_ASSERT(c) assert(c)", "#endif",
            *self._names(), *self._variables(), *self._classes(),
        ]  # fmt: skip
        inlines = [line for t in range(self.threads) for line in self.rows.inlines(t)]
        return "\n".join([*head, "", *inlines, *bodies, *self._start()]) + "\n"

    def _names(self) -> Iterator[str]:
        for k, c in enumerate(self.cells):
            yield f"/* mem[{k}]: {c.name}{'' if c.atomic else ', not atomic'} */"

    def _variables(self) -> Iterator[str]:
        row = _integer(self.count)
        widest = max([2, *(1 + len(c.critical) if c.critical is not None else DOMAIN for c in self.cells)])
        value = _integer(widest)
        yield f"int mem[{self.count}];"
        yield from self.rows.variables(row, value)
        yield "hidden int old, seen;"

    def _classes(self) -> Iterator[str]:
        """CLASS(x, v): the bit of value v at location x."""
        expression = "1"
        for k in self.monitored:
            critical = self.cells[k].critical
            bit = "(1 << (v))"
            if critical is not None:
                bit = "1"
                for n, value in enumerate(critical):
                    bit = f"((v) == {value} -> {1 << (n + 1)} : {bit})"
            expression = f"((x) == {k} -> {bit} : {expression})" if bit != "1" else expression
        yield f"#define CLASS(x, v) ({expression})"
        unbounded = [k for k in self.monitored if self.cells[k].critical is None]
        test = " && ".join(f"((x) != {k} || ((v) >= 0 && (v) < {DOMAIN}))" for k in unbounded) or "true"
        yield f"#define DOMAIN(x, v) ({test})"
        yield "#define AWARE(t, x) ((VSC[t] >> (x)) & 1)"

    def _start(self) -> Iterator[str]:
        everything = (1 << self.count) - 1
        yield "init {"
        yield "  d_step {"
        for k, c in enumerate(self.cells):
            yield f"    mem[{k}] = {c.initial}; MSC[{k}] = {1 << k}; WSC[{k}] = {1 << k};"
        yield "    " + " ".join(f"VSC[{t}] = {everything};" for t in range(self.threads))
        yield "  };"
        yield "  atomic { " + " ".join(f"run T{t}();" for t in range(self.threads)) + " }"
        yield "}"


def _integer(bits: int) -> str:
    return "byte" if bits <= 8 else "short" if bits <= 15 else "int"


def _provenance(f: Function) -> dict[int, frozenset[str] | None]:
    """For each register the objects whose address it may hold; None: any. Registers that only numbers reach hold
    none. Loads, calls and parameters may bring any address."""
    found: dict[int, frozenset[str] | None] = dict.fromkeys(range(f.parameters))
    changed = True
    while changed:
        changed = False
        for i in f.code:
            for register, names in _defined(i, found):
                before = found.get(register, frozenset())
                after = None if before is None or names is None else before | names
                if after != before or register not in found:
                    found[register], changed = after, True
    return found


def _defined(i: Instruction, found: dict[int, frozenset[str] | None]) -> Iterator[tuple[int, frozenset[str] | None]]:
    if isinstance(i, ins.Compute):
        names: frozenset[str] | None = frozenset()
        for a in i.args:
            more = frozenset({a.name}) if isinstance(a, GlobalAddress) else frozenset[str]()
            if isinstance(a, Reg):
                origin = found.get(a.index, frozenset())
                if origin is None and any(isinstance(b, GlobalAddress) for b in i.args):
                    origin = frozenset()  # an index into the object that the other operand names
                names = None if names is None or origin is None else names | origin
            names = names if names is None else names | more
        yield i.dst.index, names
        return
    for name in ("dst", "old", "success"):
        register = getattr(i, name, None)
        if isinstance(register, Reg):
            yield register.index, None


class _Body:
    """The code of one thread. Calls are expanded in place, with registers of their own."""

    def __init__(self, emitter: _Emitter, thread: int) -> None:
        self.e, self.t = emitter, thread
        self.registers: list[str] = []
        self.lines: list[str] = []
        self.expansions = 0

    def text(self) -> str:
        thread = self.e.program.threads[self.t]
        f = self.e.program.function(thread.function)
        args = [str(to_signed(self.constant(a))) for a in thread.args]
        self.function(f, args, None, f"E{self.t}", ())
        declared = [f"  int {', '.join(self.registers)};"] if self.registers else []
        body = [f"  {line}" for line in self.lines]
        return "\n".join(
            [f"proctype T{self.t}() {{ /* {thread.name} */", *declared, *body, f"  E{self.t}: skip", "}", ""]
        )

    def constant(self, operand: Operand) -> int:
        if isinstance(operand, Const):
            return operand.value
        if isinstance(operand, GlobalAddress):
            return CELL * self.e.start[operand.name] + operand.offset
        raise UnsupportedError("the Promela export has no addresses of functions")

    def function(self, f: Function, args: list[str], result: str | None, after: str, under: tuple[str, ...]) -> None:
        if f.name in under:
            raise UnsupportedError(f"{demangled(f.name)} is recursive; the Promela export expands calls in place")
        prefix = f"f{self.expansions}_"
        self.expansions += 1
        names = [f"{prefix}{k}" for k in range(len(f.registers))]
        self.registers += names
        self.lines += [f"{names[k]} = {a};" for k, a in enumerate(args[: f.parameters])]
        if self.expansions > 1:
            self.lines += [f"{n} = 0;" for n in names[f.parameters :]]
        frame = _Frame(f, names, prefix, result, after, (*under, f.name), live_before(f, shown_at_end=False))
        targets = {t for i in f.code for t in _targets(i)}
        for index, i in enumerate(f.code):
            if index not in targets and isinstance(i, ins.Compute) and self.joins(frame, index, i):
                continue
            label = f"{prefix}L{index}: " if index in targets else ""
            statements = list(self.instruction(frame, index, i))
            if label and not statements:
                statements = ["skip;"]
            self.lines += [(label if k == 0 else "") + s for k, s in enumerate(statements)]

    def joins(self, frame: _Frame, index: int, i: ins.Compute) -> bool:
        """Makes a computation part of the step before it, where there is one: fewer states in between."""
        end = " } fi;"
        if not self.lines or not self.lines[-1].endswith(end):
            return False
        self.lines[-1] = f"{self.lines[-1][: -len(end)]} {self.assignment(frame, index, i)}{end}"
        return True

    def assignment(self, frame: _Frame, index: int, i: ins.Compute) -> str:
        return f"{frame.names[i.dst.index]} = {self.compute(frame, i)};{frame.forget(index, index + 1)}"

    def value(self, frame: _Frame, operand: Operand) -> str:
        return frame.names[operand.index] if isinstance(operand, Reg) else str(self.constant(operand))

    def instruction(self, frame: _Frame, index: int, i: Instruction) -> Iterator[str]:
        def val(operand: Operand) -> str:
            return self.value(frame, operand)

        def label(target: int) -> str:
            return f"{frame.prefix}L{target}"

        match i:
            case ins.Compute():
                yield f"if :: d_step {{ {self.assignment(frame, index, i)} }} fi;"  # SPIN: no label on a d_step
            case ins.Jump():
                yield f"goto {label(i.target)};"
            case ins.Branch():
                edges = [
                    f":: d_step {{ ({val(i.condition)} {test} 0);{frame.forget(index, to)} }} -> goto {label(to)}"
                    for test, to in (("!=", i.then), ("==", i.otherwise))
                ]
                yield f"if {' '.join(edges)} fi;"
            case ins.Switch():
                for case, target in zip(i.cases, i.targets, strict=True):
                    yield f"if :: ({val(i.value)} == {val(case)}) -> goto {label(target)} :: else fi;"
                yield f"goto {label(i.default)};"
            case ins.Call():
                yield from self.call(frame, index, i)
            case ins.Return() | ins.Exit():
                if frame.result is not None:
                    yield f"{frame.result} = {val(i.value) if i.value is not None else 0};"
                yield f"goto {frame.after if isinstance(i, ins.Return) else f'E{self.t}'};"
            case ins.Assert():
                yield f"if :: d_step {{ USER_ASSERT({val(i.condition)} != 0);{frame.forget(index, index + 1)} }} fi;"
            case ins.Fail():
                yield "USER_ASSERT(false);"
            case ins.Assume():
                yield f"({val(i.condition)} != 0);"
            case ins.Choose():
                yield self.choose(frame, i)
            case ins.Load() | ins.Store() | ins.Rmw() | ins.Cas() | ins.Await() | ins.BlockingCas():
                yield self.access(frame, index, i)
            case ins.Fence():
                if i.kind in FULL_FENCES:
                    yield f"if :: d_step {{ {self.e.rows.fence(self.t)} }} fi;"
            case ins.SpinHead() | ins.Print():
                return
            case _:
                raise UnsupportedError(f"{i.at}: the Promela export cannot treat {i.mnemonic}")

    def compute(self, frame: _Frame, i: ins.Compute) -> str:
        args = [self.value(frame, a) for a in i.args]
        if i.op is Op.MOV:
            return args[0]
        if i.op is Op.SELECT:
            return f"(({args[0]}) != 0 -> {args[1]} : {args[2]})"
        if i.op not in _BINARY or i.width not in (1, 64):
            raise UnsupportedError(f"{i.at}: the Promela export cannot compute {i.op.value} of {i.width} bits")
        return f"({args[0]} {_BINARY[i.op]} {args[1]})"

    def call(self, frame: _Frame, index: int, i: ins.Call) -> Iterator[str]:
        if not isinstance(i.callee, FunctionAddress):
            raise UnsupportedError(f"{i.at}: the Promela export cannot call through pointers")
        f = self.e.program.function(i.callee.name)
        after = f"{frame.prefix}R{index}"
        result = frame.names[i.dst.index] if i.dst is not None else None
        before, self.lines = self.lines, []
        self.function(f, [self.value(frame, a) for a in i.args], result, after, frame.under)
        inner, self.lines = self.lines, before
        yield from inner
        yield f"{after}: skip;"

    def choose(self, frame: _Frame, i: ins.Choose) -> str:
        if not (isinstance(i.low, Const) and isinstance(i.high, Const)):
            raise UnsupportedError(f"{i.at}: the Promela export chooses between constants only")
        name = frame.names[i.dst.index]
        return "if " + " ".join(f":: {name} = {v}" for v in range(i.low.value, i.high.value + 1)) + " fi;"

    # --- memory

    def access(self, frame: _Frame, index: int, i: Instruction) -> str:
        address: Operand = i.address  # type: ignore[attr-defined] # every access has one
        cells = self.e._cells_of(frame.function, address)
        fixed = isinstance(address, GlobalAddress)
        x = str(next(iter(cells))) if fixed else f"({self.value(frame, address)} / {CELL})"
        monitored = any(self.e.cells[k].atomic for k in cells)
        guard, body, writes = self.effect(frame, i, x)
        if not monitored:
            body = body.replace(f"read_{self.t}({x});", "").replace(f"write_{self.t}({x}, 0);", "")
        fatal = f"AWARE({self.t}, {x}) && ({self.fatal(frame, i, x)})" if monitored else "false"
        race, here = "", ""
        if cells & self.e.plain:
            here = f"{frame.prefix}A{index}: "
            register = "" if fixed else self.value(frame, address)
            mine = _Exposed(self.t, here[:-2], cells, register, writes, self.e.races(i))
            self.e.exposed.append(mine)
            race = " || ".join(self.conflict(other, mine, x) for other in self.e.exposed if _may_race(other, mine))
        check = "" if guard or fatal == "false" else f"assert(!({fatal}));"
        body += frame.forget(index, index + 1)
        step = f"d_step {{ {guard + ' -> ' if guard else ''}{check} {body} }}"
        branches = [
            f"({test}) -> assert(false)" for test in (race, fatal if guard else "") if test not in ("", "false")
        ]
        return f"{here}if {' '.join(f':: {b}' for b in (*branches, step))} fi;"

    def conflict(self, other: _Exposed, mine: _Exposed, x: str) -> str:
        """Whether the other thread stands at its access and that is to the same location (Definition 6.1)."""
        process = f"T{other.thread}[{other.thread + 1}]"
        where = f"({process}:{other.register} / {CELL})" if other.register else str(next(iter(other.cells)))
        return f"({process}@{other.label} && {where} == {x})"

    def effect(self, frame: _Frame, i: Instruction, x: str) -> tuple[str, str, bool]:
        """What must hold first, what happens, and whether it may write."""
        t = self.t

        def val(operand: Operand) -> str:
            return self.value(frame, operand)

        def name(register: Reg | None) -> str:
            return frame.names[register.index] if register is not None else ""

        def put(register: Reg | None, text: str) -> str:
            return f"{name(register)} = {text};" if register is not None else ""

        match i:
            case ins.Load():
                return "", f"read_{t}({x}); {put(i.dst, f'mem[{x}]')}", False
            case ins.Store():
                return "", f"write_{t}({x}, 0); mem[{x}] = {val(i.value)};", True
            case ins.Rmw():
                new = val(i.value) if i.op is RmwOp.XCHG else f"mem[{x}] {self.update(i)} {val(i.value)}"
                return "", f"write_{t}({x}, 1); seen = mem[{x}]; mem[{x}] = {new}; {put(i.dst, 'seen')}", True
            case ins.Cas():
                won = f"write_{t}({x}, 1); seen = mem[{x}]; mem[{x}] = {val(i.desired)}; old = 1"
                lost = f"read_{t}({x}); seen = mem[{x}]; old = 0"
                both = f"if :: (mem[{x}] == {val(i.expected)}) -> {won} :: else -> {lost} fi;"
                return "", f"{both} {put(i.old, 'seen')} {put(i.success, 'old')}", True
            case ins.Await():
                test = f"(mem[{x}] {_BINARY[i.op]} {val(i.operand)})"
                return test, f"read_{t}({x}); {put(i.dst, f'mem[{x}]')}", False
            case ins.BlockingCas():
                test = f"(mem[{x}] == {val(i.expected)})"
                return test, f"write_{t}({x}, 1); mem[{x}] = {val(i.desired)};", True
        raise AssertionError("an access should have an effect")

    def update(self, i: ins.Rmw) -> str:
        if i.op not in _UPDATES:
            raise UnsupportedError(f"{i.at}: the Promela export cannot update by {i.op.value}")
        return _UPDATES[i.op]

    def fatal(self, frame: _Frame, i: Instruction, x: str) -> str:
        """Theorem 5.3 for this label, given that its thread is aware of the last write."""
        old, behind = self.e.rows.reads(self.t, x), self.e.rows.updates(self.t, x)
        match i:
            case ins.Load():
                return f"{old} != 0"
            case ins.Store() | ins.Rmw():
                return f"{behind} != 0"
            case ins.Cas():
                bit = f"CLASS({x}, {self.value(frame, i.expected)})"
                return f"({old} & ~{bit}) != 0 || ({behind} & {bit}) != 0"
            case ins.Await():
                bit = f"CLASS({x}, {self.value(frame, i.operand)})"
                return f"({old} & {bit if i.op is Op.EQ else f'~{bit}'}) != 0"
            case ins.BlockingCas():
                return f"({behind} & CLASS({x}, {self.value(frame, i.expected)})) != 0"
        raise AssertionError("an access should have a judgement")


def _may_race(other: _Exposed, mine: _Exposed) -> bool:
    """Of two threads the later one looks: Promela knows only what was declared before, and in a racy state either of
    the two accesses may come first."""
    kinds = (other.writes or mine.writes) and (other.non_atomic or mine.non_atomic)
    return other.thread < mine.thread and kinds and bool(other.cells & mine.cells)


@dataclass(frozen=True, slots=True)
class _Frame:
    function: Function
    names: list[str]
    prefix: str
    result: str | None
    after: str
    under: tuple[str, ...]
    live: list[int]  # per instruction: the registers that may be read from there on

    def forget(self, index: int, following: int) -> str:
        """Clears the registers that nobody reads any more once control goes from one instruction to another."""
        held = self.live[index] | sum(1 << r.index for r in defined(self.function.code[index]))
        dead = held & ~self.live[following]
        return "".join(f" {name} = 0;" for k, name in enumerate(self.names) if dead >> k & 1)


def _targets(i: Instruction) -> tuple[int, ...]:
    match i:
        case ins.Jump():
            return (i.target,)
        case ins.Branch():
            return (i.then, i.otherwise)
        case ins.Switch():
            return (*i.targets, i.default)
    return ()
