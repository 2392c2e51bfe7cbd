"""The translation as the paper prints it, in C: one process per process, `initProc` and `verProc`, Algorithms 6 to 15
with their names and line numbers (`paper.c`). It is there to be read beside the paper and to be run by others; what
`translate` makes guesses far less.

An SC run of the paper's program is a run of `main` here: in each context only its active process can move.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from typing import NoReturn

from fencepost.bounded.c_code import computed
from fencepost.bounded.straight import Straight
from fencepost.errors import UnsupportedError
from fencepost.program import instructions as ins
from fencepost.program.instructions import FenceKind, Instruction
from fencepost.program.operands import Const, GlobalAddress, Operand, Reg, to_unsigned

_FENCES = {FenceKind.SYNC: "sync_", FenceKind.LWSYNC: "lwsync_", FenceKind.ISYNC: "isync_"}


def paper_form(straight: Straight, contexts: int, title: str, bounds: str) -> str:
    """The text. Raises UnsupportedError for what the paper's language does not have."""
    if straight.processes.main is not None or straight.ending is not None:
        raise UnsupportedError("--emit paper: processes start at once and join nobody; here `main` goes on beside them")
    if straight.program.condition is not None:
        raise UnsupportedError("--emit paper asks whether an assertion fails: write the final condition as one")
    return _Writer(straight, contexts, title, bounds).text()


class _Writer:
    def __init__(self, straight: Straight, contexts: int, title: str, bounds: str) -> None:
        self.straight, self.contexts = straight, contexts
        self.title, self.bounds = title.replace("*/", "* /"), bounds
        self.cells = straight.locations.cells
        self.functions = straight.program.functions
        self.algorithms = (files("fencepost.bounded") / "paper.c").read_text(encoding="utf-8")
        taken = set(re.findall(r"\w+", self.algorithms)) - set("xyz")  # parameters there may hide a variable
        threads = zip(straight.program.threads, self.functions, strict=True)
        self.variables = _unique([c.name for c in self.cells], "x", taken)
        self.registers = _unique([f"{t.name}_{r}" for t, f in threads for r in f.registers], "r", taken)
        self.first = [sum(len(f.registers) for f in self.functions[:p]) for p in range(len(self.functions))]

    def text(self) -> str:
        processes = [line for p in range(len(self.functions)) for line in self._process(p)]
        return "\n".join([*self._head(), self.algorithms, *self._cell(), *processes, *self._main()]) + "\n"

    def _head(self) -> Iterator[str]:
        yield f"/* {self.title}"
        yield f"   {self.bounds}"
        yield "   Made by fencepost. A run that violates no assumption and reaches `violation` is a run of the paper's"
        yield "   machine that fails an assertion. `cbmc FILE.c` decides whether there is one. */"
        sizes = {"P": len(self.functions), "X": max(1, len(self.cells)), "R": max(1, len(self.registers))}
        yield from (f"#define {name} {number}" for name, number in {**sizes, "K": self.contexts}.items())
        yield ""
        yield f"enum {{ {', '.join(self.variables) or 'no_variable'} }};"
        yield f"enum {{ {', '.join(self.registers) or 'no_register'} }};"
        values = ", ".join(f"{to_unsigned(c.initial)}ull" for c in self.cells) or "0"
        yield "typedef unsigned long long u64;"
        yield "typedef long long i64;"
        yield f"static const u64 first[X] = {{{values}}};"

    def _cell(self) -> Iterator[str]:
        yield "/* --- the variable at an address */"
        yield "int variable_at(u64 address)"
        yield "{"
        for name, cell in zip(self.variables, self.cells, strict=True):
            yield f"  if (address == {cell.address}ull) return {name};"
        yield "  assume(0);"
        yield "  return 0;"
        yield "}"
        yield ""

    def _process(self, p: int) -> Iterator[str]:
        yield f"/* --- process {p}: {self.straight.program.threads[p].name} */"
        yield f"static void process_{p}(void)"
        yield "{"
        yield f"  activeCnt({p});"
        yield f"  switch (pc[{p}]) {{"
        for pc, i in enumerate(self.functions[p].code):
            if pc not in self.straight.ranges.threads[p].before:
                continue  # nobody comes here
            yield f"  case {pc}:" + (f" /* {i.at} */" if i.at is not None else "")
            yield from (f"    {line}" for line in self._statement(p, pc, i))
            yield "    break;"
        yield "  }"
        yield "  closeCnt();"
        yield "}"
        yield ""

    def _statement(self, p: int, pc: int, i: Instruction) -> Iterator[str]:
        match i:
            case ins.Load() if not i.exclusive:
                yield self._read(p, pc, i)
            case ins.Store():
                yield self._write(p, pc, i)
            case ins.Compute():
                value = computed(i, [self._value(p, a) for a in i.args])
                yield self._assign(p, i.dst, value, *i.args)
            case ins.Choose():
                low, high = self._value(p, i.low), self._value(p, i.high)
                yield self._assign(p, i.dst, f"{low} + gen(0, {high} - {low})", i.low, i.high)
            case ins.Fence(kind=kind) if kind in _FENCES:
                yield f"{_FENCES[kind]}({p});"
            case ins.Assume():
                yield f"assume({self._value(p, i.condition)} != 0);"
                yield f"control({p}, {self._context('cReg', p, i.condition)});"
            case ins.Assert():
                yield f"if ({self._value(p, i.condition)} == 0) error = 1;"
                if not i.check:
                    yield f"control({p}, {self._context('cReg', p, i.condition)});"
            case ins.Branch():
                yield f"control({p}, {self._context('cReg', p, i.condition)});"
                yield f"pc[{p}] = {self._value(p, i.condition)} != 0 ? {i.then} : {i.otherwise};"
                return
            case ins.Jump():
                yield f"pc[{p}] = {i.target};"
                return
            case ins.Fail():
                yield "error = 1;"
                return
            case ins.Return():
                yield f"ended[{p}] = 1;"
                return
            case _:
                _refuse(i)
        yield f"pc[{p}] = {pc + 1};"

    def _read(self, p: int, pc: int, i: ins.Load) -> str:
        text = f"{p}, {self._name(p, i.dst)}, {self._variable(p, pc, i.address)}"
        return f"read_at({text}, {self._contexts(p, i.address)});" if isinstance(i.address, Reg) else f"read({text});"

    def _write(self, p: int, pc: int, i: ins.Store) -> str:
        text = f"{p}, {self._variable(p, pc, i.address)}, {self._value(p, i.value)}"
        if not isinstance(i.address, Reg):
            return f"write({text}, {self._contexts(p, i.value)});"
        return f"write_at({text}, {self._contexts(p, i.value, i.address)}, {self._context('cReg', p, i.address)});"

    def _assign(self, p: int, dst: Reg, value: str, *operands: Operand) -> str:
        return f"assign({p}, {self._name(p, dst)}, {value}, {self._contexts(p, *operands)});"

    def _name(self, p: int, register: Reg) -> str:
        return self.registers[self.first[p] + register.index]

    def _value(self, p: int, operand: Operand) -> str:
        if isinstance(operand, Reg):
            return f"reg[{self._name(p, operand)}]"
        return f"{to_unsigned(self._constant(operand))}ull"

    def _constant(self, operand: Operand) -> int:
        if isinstance(operand, GlobalAddress):
            return self.straight.ranges.layout.globals[operand.name] + operand.offset
        assert isinstance(operand, Const), "an operand of a straight program should be a number"
        return operand.value

    def _contexts(self, p: int, *operands: Operand) -> str:
        return f"{self._context('iReg', p, *operands)}, {self._context('cReg', p, *operands)}"

    def _context(self, kind: str, p: int, *operands: Operand) -> str:
        """iReg or cReg of an expression: the latest of its registers; 0 where it has none."""
        text = "0"
        for name in dict.fromkeys(self._name(p, o) for o in operands if isinstance(o, Reg)):
            text = f"{kind}[{name}]" if text == "0" else f"max2({text}, {kind}[{name}])"
        return text

    def _variable(self, p: int, pc: int, address: Operand) -> str:
        cells = self.straight.locations.of(p, pc)
        if not isinstance(address, Reg) and len(cells) == 1:
            return self.variables[self.cells.index(cells[0])]
        return f"variable_at({self._value(p, address)})"

    def _main(self) -> Iterator[str]:
        count = len(self.functions)
        yield "/* --- the SC runs: who is active in a context moves */"
        yield "int main(void)"
        yield "{"
        yield "  initProc();"
        yield f"  while (!error && !({' && '.join(f'ended[{p}]' for p in range(count)) or '1'})) {{"
        yield "    assume(!ended[active[cnt]]);"
        yield "    switch (active[cnt]) {"
        yield from (f"    case {p}: process_{p}(); break;" for p in range(count))
        yield "    }"
        yield "  }"
        yield "  verProc();"
        yield "  return 0;"
        yield "}"


def _unique(names: list[str], letter: str, taken: set[str]) -> list[str]:
    """Names that C can have and nobody else has, in order; from now on they are taken."""
    found: list[str] = []
    for n, name in enumerate(names):
        plain = re.sub(r"\W+", "_", name).strip("_")
        plain = f"{letter}_{plain}" if not plain or not plain[0].isalpha() else plain
        found.append(f"{plain}_{n}" if plain in taken else plain)
        taken.add(found[-1])
    return found


def _refuse(i: Instruction) -> NoReturn:
    place = f"{i.at}: " if i.at is not None else ""
    what = "eieio" if isinstance(i, ins.Fence) else "read-modify-writes and reservations"
    raise UnsupportedError(f"{place}--emit paper: the paper's language has no {what}; --emit c translates them")
