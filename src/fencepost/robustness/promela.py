"""Promela with the monitor built in, for SPIN: what Rocker does, as a second, independent implementation of SCM.

The monitor (`promela_monitors.py`) has its own sets and its own initial state, and shares nothing with the native one.
One array element per row and location; classes of values are bits: bit 0 for all values
that no label tells apart, then one bit per critical value; where a CAS expects a value that is not a constant, bit v is
the value v, and an assertion guards that values stay below 31.

Objects whose accesses have the same size lie together, so that an address gives the number of its location: `_Group`.
A Promela int has 32 bits. It holds a register of 64 bits as it is, where that fits; of 8 and 16 bits from zero on; and
of 32 bits signed. Where that may not be the register's value (an unsigned operation on a negative number, a negative
one of 32 bits used as one of 64) an assertion fails that names `outside`, and the answer is not known.
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
from fencepost.robustness.promela_code import (
    COMPARISONS,
    Access,
    integer,
    masked,
    narrow,
    provenance,
    signed,
    targets,
)  # fmt: skip
from fencepost.robustness.promela_monitors import Rows
from fencepost.robustness.static_threads import with_static_threads

CELL = 8  # the largest access
DOMAIN = 31  # values that fit in a set kept in a Promela int
_BINARY = {
    Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.AND: "&", Op.OR: "|", Op.XOR: "^", Op.SHL: "<<", Op.ASHR: ">>",
    Op.LSHR: ">>", Op.SDIV: "/", Op.SREM: "%", Op.UDIV: "/", Op.UREM: "%", Op.EQ: "==", Op.NE: "!=", Op.SLT: "<",
    Op.SLE: "<=", Op.SGT: ">", Op.SGE: ">=", Op.ULT: "<", Op.ULE: "<=", Op.UGT: ">", Op.UGE: ">=",
}  # fmt: skip
_UNSIGNED = (Op.ULT, Op.ULE, Op.UGT, Op.UGE, Op.UDIV, Op.UREM, Op.LSHR)
_SIGNED = (Op.SLT, Op.SLE, Op.SGT, Op.SGE, Op.SDIV, Op.SREM, Op.ASHR)
_UPDATES = {RmwOp.ADD: "+", RmwOp.SUB: "-", RmwOp.AND: "&", RmwOp.OR: "|", RmwOp.XOR: "^"}


def emit(program: Program, against: str = "ra", options: RobustOptions | None = None) -> str:
    """The program as a Promela model whose assertions fail exactly where it is not robust, or races, or fails itself.
    Raises UnsupportedError for what Promela or this translation lacks, with its place."""
    if against not in ("ra", "sra", "tso"):
        raise UnsupportedError(
            f"the Promela export has monitors for ra, sra and tso; use --backend native for {against}"
        )
    return _Emitter(with_static_threads(passes(program, against, options)), against).text()


@dataclass(slots=True)
class _Cell:
    name: str
    initial: int
    atomic: bool = False
    critical: list[int] | None = None  # None: every value


@dataclass(frozen=True, slots=True)
class _Exposed:
    """An access to a location that is accessed non-atomically somewhere. `register` is the
    location by the register with its address, or empty."""

    thread: int
    label: str
    cells: frozenset[int]
    register: str
    writes: bool
    non_atomic: bool


@dataclass(slots=True)
class _Group:
    """The objects that are accessed `size` bytes at a time: `first` is the number of their first location, which has
    the address `base`."""

    size: int
    base: int = 0
    first: int = 0
    end: int = 0  # the address after the last of them

    def location(self, address: str) -> str:
        """The number of the location at an address."""
        shift = self.first - self.base // self.size
        return f"({address} / {self.size}{f' + {shift}' if shift > 0 else f' - {-shift}' if shift else ''})"

    def holds(self, address: str) -> str:
        return f"({address} >= {self.base} && {address} < {self.end} && {address} % {self.size} == 0)"


class _Emitter:
    def __init__(self, program: Program, against: str) -> None:
        self.program, self.against = program, against
        self.layout: Layout = lay_out(program)
        self.threads = len(program.threads)
        self.cells: list[_Cell] = []
        self.touched = {f.name: provenance(f, self._given(f)) for f in program.functions}
        self.sizes = self._sizes()
        self.groups = {size: _Group(size) for size in sorted({*self.sizes.values()}, reverse=True)}
        self.address: dict[str, int] = {}
        self._place()
        self._survey()
        self.monitored = [k for k, c in enumerate(self.cells) if c.atomic]
        self.count = len(self.cells)
        self.rows = Rows(self.threads, self.count, tuple(self.monitored), against)
        if self.count > DOMAIN:
            raise UnsupportedError(f"the Promela export takes at most {DOMAIN} locations, not {self.count}")
        self.plain = frozenset(
            k for f in program.functions for i in f.code if isinstance(i, Access) and self.races(i)
            for k in self._cells_of(f, i)
        )  # fmt: skip
        self.exposed: list[_Exposed] = []

    # --- where everything lies

    def _sizes(self) -> dict[str, int]:
        """How many bytes at a time each object is accessed, of those that are."""
        found: dict[str, int] = {}
        anywhere: set[int] = set()
        for f in self.program.functions:
            for i in (i for i in f.code if isinstance(i, Access)):
                names = self._objects_of(f, i.address)
                anywhere |= {i.size} if names is None else set()
                for name in names or ():
                    if found.setdefault(name, i.size) != i.size:
                        message = f"accesses {name} {i.size} bytes at a time, others {found[name]}"
                        raise UnsupportedError(f"{i.at}: {message}: the Promela export takes one size for an object")
        usual = next(iter(anywhere)) if len(anywhere) == 1 else CELL
        held = self._held(frozenset(found))
        return found | {o.name: usual for o in self.program.objects if o.name in held and o.name not in found}

    def _given(self, f: Function) -> list[frozenset[str] | None]:
        """The objects whose addresses the parameters of a function may hold; None: any."""
        called = any(
            isinstance(i, ins.Call) and i.callee == FunctionAddress(f.name)
            for g in self.program.functions
            for i in g.code
        )
        if called:
            return [None] * f.parameters
        args = [t.args for t in self.program.threads if t.function == f.name]
        return [
            frozenset(a[k].name for a in args if len(a) > k and isinstance(a[k], GlobalAddress))  # type: ignore[union-attr]
            for k in range(f.parameters)
        ]

    def _objects_of(self, f: Function, address: Operand) -> frozenset[str] | None:
        """The objects that an access may reach; None: any."""
        if isinstance(address, GlobalAddress):
            return frozenset({address.name})
        return self.touched[f.name].get(address.index) if isinstance(address, Reg) else None

    def _held(self, accessed: frozenset[str]) -> set[str]:
        """The objects whose address a thread is given, or code or memory holds."""
        operands: list[object] = [a for t in self.program.threads for a in t.args]
        operands += [i.value for o in self.program.objects if o.name in accessed for i in o.init]
        for i in (i for f in self.program.functions for i in f.code):
            operands += [*getattr(i, "args", ()), getattr(i, "value", None), getattr(i, "desired", None)]
        return {a.name for a in operands if isinstance(a, GlobalAddress)}

    def _place(self) -> None:
        content = initial_bytes(self.program, self.layout)
        at = 0
        for size, group in self.groups.items():
            group.base, group.first = at, len(self.cells)
            for o in (o for o in self.program.objects if self.sizes.get(o.name) == size):
                self.address[o.name] = at
                start, count = self.layout.globals.get(o.name, 0), max(1, -(-o.size // size))
                for k in range(count):
                    raw = sum(content.get(start + size * k + i, 0) << (8 * i) for i in range(size))
                    initial = to_signed(raw, 8 * size) if size >= 4 else raw
                    self.cells.append(_Cell(o.name if o.size <= size else f"{o.name}[{k}]", initial, critical=[]))
                at += size * count
            group.end = at
            at = -(-at // CELL) * CELL

    # --- what is accessed how

    def races(self, i: Instruction) -> bool:
        """Whether an access must not be concurrent with others. A machine has no such accesses."""
        return self.against != "tso" and getattr(i, "mode", None) is Mode.NA

    def _survey(self) -> None:
        for f in self.program.functions:
            for i in f.code:
                if not isinstance(i, Access):
                    continue
                for k in self._cells_of(f, i):
                    cell = self.cells[k]
                    cell.atomic |= not self.races(i)
                    self._note_critical(cell, i)

    def _note_critical(self, cell: _Cell, i: Access) -> None:
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
        elif cell.critical is not None and (value := integer(expected.value, 8 * i.size)) not in cell.critical:
            cell.critical.append(value)

    def _cells_of(self, f: Function, i: Access) -> frozenset[int]:
        """The locations that an access may reach."""
        group, address = self.groups[i.size] if i.size in self.groups else _Group(i.size), i.address
        if isinstance(address, GlobalAddress):
            return frozenset({group.first + (self.address[address.name] + address.offset - group.base) // i.size})
        names = self._objects_of(f, address)
        objects = [o for o in self.program.objects if self.sizes.get(o.name) == i.size]
        return frozenset(
            group.first + (self.address[o.name] - group.base) // i.size + k
            for o in objects if names is None or o.name in names for k in range(max(1, -(-o.size // i.size)))
        )  # fmt: skip

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
        yield "bit outside; /* never set: the name tells which assertion failed */"
        yield f"#define DOMAIN(x, v) ({test} || outside)"
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
        args = [str(self.constant(a)) for a in thread.args]
        self.function(f, args, None, f"E{self.t}", ())
        declared = [f"  int {', '.join(self.registers)};"] if self.registers else []
        body = [f"  {line}" for line in self.lines]
        return "\n".join(
            [f"proctype T{self.t}() {{ /* {thread.name} */", *declared, *body, f"  E{self.t}: skip", "}", ""]
        )

    def constant(self, operand: Operand, bits: int = 64) -> int:
        if isinstance(operand, Const):
            return integer(operand.value, bits)
        if isinstance(operand, GlobalAddress):
            return self.e.address[operand.name] + operand.offset
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
        frame = _Frame(f, names, prefix, result, after, (*under, f.name), live_before(f, shown_at_end=False),
                       narrow(f))  # fmt: skip
        reached = {t for i in f.code for t in targets(i)}
        for index, i in enumerate(f.code):
            if index not in reached and isinstance(i, ins.Compute) and self.joins(frame, index, i):
                continue
            label = f"{prefix}L{index}: " if index in reached else ""
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
        fits = self.fits(frame, i)
        guard = f"assert(({' && '.join(fits)}) || outside); " if fits else ""
        return f"{guard}{frame.names[i.dst.index]} = {self.compute(frame, i)};{frame.forget(index, index + 1)}"

    def fits(self, frame: _Frame, i: ins.Compute) -> list[str]:
        """What must hold for the operands, so that a Promela int holds the result."""
        unsigned = i.op in _UNSIGNED and i.width >= 32
        registers = [a for a in i.args if isinstance(a, Reg)]
        wider = i.width == 64 and i.op not in (Op.SEXT, Op.MOV, Op.SELECT)
        return [f"{self.value(frame, a)} >= 0" for a in registers if unsigned or (wider and a.index in frame.narrow)]

    def value(self, frame: _Frame, operand: Operand, bits: int = 64) -> str:
        return frame.names[operand.index] if isinstance(operand, Reg) else str(self.constant(operand, bits))

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
            case ins.SpinHead() | ins.Print() | ins.Scope():
                return
            case _:
                raise UnsupportedError(f"{i.at}: the Promela export cannot treat {i.mnemonic}")

    def compute(self, frame: _Frame, i: ins.Compute) -> str:
        args = [self.value(frame, a, i.width if i.width > 1 else 64) for a in i.args]
        if i.op is Op.SELECT:
            return f"(({args[0]}) != 0 -> {args[1]} : {args[2]})"
        short = i.width in (8, 16)
        if i.op is Op.SEXT and (short or i.width == 32):
            return signed(args[0], i.width) if short else args[0]
        if i.op is Op.MOV:
            return masked(args[0], i.width) if short else args[0]
        if i.op not in _BINARY or i.width not in (1, 8, 16, 32, 64):
            raise UnsupportedError(f"{i.at}: the Promela export cannot compute {i.op.value} of {i.width} bits")
        if short:
            args = [(signed if i.op in _SIGNED else masked)(a, i.width) for a in args]
        result = f"({args[0]} {_BINARY[i.op]} {args[1]})"
        return masked(result, i.width) if short and i.op not in COMPARISONS else result

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

    def access(self, frame: _Frame, index: int, i: Access) -> str:
        address = i.address
        cells = self.e._cells_of(frame.function, i)
        fixed = isinstance(address, GlobalAddress)
        if not cells:
            raise UnsupportedError(f"{i.at}: the Promela export knows no object that this access may reach")
        group = self.e.groups[i.size]
        x = str(next(iter(cells))) if fixed else group.location(self.value(frame, address))
        inside = "" if fixed else f"assert({group.holds(self.value(frame, address))} || outside); "
        monitored = any(self.e.cells[k].atomic for k in cells)
        guard, body, writes = self.effect(frame, i, x)
        if not monitored:
            body = body.replace(f"read_{self.t}({x});", "").replace(f"write_{self.t}({x}, 0);", "")
        fatal = f"AWARE({self.t}, {x}) && ({self.fatal(frame, i, x)})" if monitored else "false"
        race, here = "", ""
        if cells & self.e.plain:
            here = f"{frame.prefix}A{index}: "
            register = "" if fixed else self.value(frame, address)
            mine = _Exposed(self.t, here[:-2], cells, register and group.location(register), writes, self.e.races(i))
            self.e.exposed.append(mine)
            race = " || ".join(self.conflict(other, mine, x) for other in self.e.exposed if _may_race(other, mine))
        check = "" if guard or fatal == "false" else f"assert(!({fatal}));"
        body += frame.forget(index, index + 1)
        step = f"d_step {{ {guard + ' -> ' if guard else ''}{inside}{check} {body} }}"
        branches = [
            f"({test}) -> assert(false)" for test in (race, fatal if guard else "") if test not in ("", "false")
        ]
        return f"{here}if {' '.join(f':: {b}' for b in (*branches, step))} fi;"

    def conflict(self, other: _Exposed, mine: _Exposed, x: str) -> str:
        """Whether the other thread stands at its access and that is to the same location (Definition 6.1)."""
        process = f"T{other.thread}[{other.thread + 1}]"
        where = other.register.replace("(", f"({process}:", 1) if other.register else str(next(iter(other.cells)))
        return f"({process}@{other.label} && {where} == {x})"

    def effect(self, frame: _Frame, i: Access, x: str) -> tuple[str, str, bool]:
        """What must hold first, what happens, and whether it may write."""
        t = self.t

        def val(operand: Operand) -> str:
            return self.value(frame, operand, 8 * i.size)

        def name(register: Reg | None) -> str:
            return frame.names[register.index] if register is not None else ""

        def put(register: Reg | None, text: str) -> str:
            return f"{name(register)} = {text};" if register is not None else ""

        def fit(text: str) -> str:
            """As the location holds it."""
            return masked(text, 8 * i.size) if i.size < 4 else text

        match i:
            case ins.Load():
                return "", f"read_{t}({x}); {put(i.dst, f'mem[{x}]')}", False
            case ins.Store():
                return "", f"write_{t}({x}, 0); mem[{x}] = {fit(val(i.value))};", True
            case ins.Rmw():
                new = val(i.value) if i.op is RmwOp.XCHG else f"mem[{x}] {self.update(i)} {val(i.value)}"
                return "", f"write_{t}({x}, 1); seen = mem[{x}]; mem[{x}] = {fit(new)}; {put(i.dst, 'seen')}", True
            case ins.Cas():
                won = f"write_{t}({x}, 1); seen = mem[{x}]; mem[{x}] = {fit(val(i.desired))}; old = 1"
                lost = f"read_{t}({x}); seen = mem[{x}]; old = 0"
                both = f"if :: (mem[{x}] == {fit(val(i.expected))}) -> {won} :: else -> {lost} fi;"
                return "", f"{both} {put(i.old, 'seen')} {put(i.success, 'old')}", True
            case ins.Await():
                test = f"(mem[{x}] {_BINARY[i.op]} {fit(val(i.operand))})"
                return test, f"read_{t}({x}); {put(i.dst, f'mem[{x}]')}", False
            case ins.BlockingCas():
                test = f"(mem[{x}] == {fit(val(i.expected))})"
                return test, f"write_{t}({x}, 1); mem[{x}] = {fit(val(i.desired))};", True
        raise AssertionError("an access should have an effect")

    def update(self, i: ins.Rmw) -> str:
        if i.op not in _UPDATES:
            raise UnsupportedError(f"{i.at}: the Promela export cannot update by {i.op.value}")
        return _UPDATES[i.op]

    def fatal(self, frame: _Frame, i: Access, x: str) -> str:
        """Theorem 5.3 for this label, given that its thread is aware of the last write."""
        old, behind = self.e.rows.reads(self.t, x), self.e.rows.updates(self.t, x)
        match i:
            case ins.Load():
                return f"{old} != 0"
            case ins.Store() | ins.Rmw():
                return f"{behind} != 0"
            case ins.Cas():
                bit = f"CLASS({x}, {self.value(frame, i.expected, 8 * i.size)})"
                return f"({old} & ~{bit}) != 0 || ({behind} & {bit}) != 0"
            case ins.Await():
                bit = f"CLASS({x}, {self.value(frame, i.operand, 8 * i.size)})"
                return f"({old} & {bit if i.op is Op.EQ else f'~{bit}'}) != 0"
            case ins.BlockingCas():
                return f"({behind} & CLASS({x}, {self.value(frame, i.expected, 8 * i.size)})) != 0"
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
    narrow: frozenset[int]  # the registers that may hold a negative number of 32 bits, which is none of 64

    def forget(self, index: int, following: int) -> str:
        """Clears the registers that nobody reads any more once control goes from one instruction to another."""
        held = self.live[index] | sum(1 << r.index for r in defined(self.function.code[index]))
        dead = held & ~self.live[following]
        return "".join(f" {name} = 0;" for k, name in enumerate(self.names) if dead >> k & 1)
