"""Control: branches, switch, return, phi, invoke."""

from __future__ import annotations

import re
from collections.abc import Callable

from fencepost.frontends.c import assembly, exceptions
from fencepost.frontends.c.body import Body, Leaves
from fencepost.frontends.c.calls import call
from fencepost.frontends.c.library.verifier import end_atomic, is_atomic
from fencepost.frontends.c.llvm.module import BasicBlock, Inst, skip_attributes
from fencepost.frontends.c.llvm.tokens import Cursor, plain_name
from fencepost.frontends.c.llvm.types import Type, Void, leaf_count
from fencepost.frontends.c.throwing import Exceptions
from fencepost.frontends.c.undefined import compilers_check, trap_of
from fencepost.frontends.c.unit import RETURNED
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind
from fencepost.program.operands import Const, Operand, Reg

#: `ERROR: goto ERROR;` is how older verification benchmarks say that a place must not be reached.
_ERROR = re.compile(r"ERROR\d*")


class Blocks:
    """The basic blocks of a function while it is translated: their labels, their phis, and the moves on the edges."""

    def __init__(self, b: Body, blocks: list[BasicBlock]) -> None:
        self.b = b
        reached = reachable(blocks, b.unit.exceptions)
        self.traps = {block.label: n for block in blocks if (n := trap_of(block)) is not None}
        self.blocks = [block for block in blocks if block.label in reached and block.label not in self.traps]
        self.labels = {block.label: b.label() for block in self.blocks}
        self.phis = {block.label: [i for i in block.instructions if i.op == "phi"] for block in self.blocks}
        self.current = ""
        self._edges: list[tuple[int, str]] = []

    def start(self, block: BasicBlock) -> None:
        self.current = block.label
        self.b.mark(self.labels[block.label])

    def jump(self, target: str) -> None:
        self._moves(target)
        self.b.jump(self.labels[target])

    def edge(self, target: str) -> int:
        """A label that leads to the target by way of the moves that its phis want."""
        if not self.phis[target]:
            return self.labels[target]
        label = self.b.label()
        self._edges.append((label, target))
        return label

    def finish(self) -> None:
        """Emits the edges of the current block."""
        for label, target in self._edges:
            self.b.mark(label)
            self.jump(target)
        self._edges.clear()

    def _moves(self, target: str) -> None:
        """All phis of a block take their values at once: those that another one overwrites are saved first."""
        wanted: list[tuple[Reg, Operand]] = []
        for phi in self.phis[target]:
            type_, value = self._incoming(phi)
            for to, operand in zip(self.b.named(type_, phi.result or ""), value, strict=True):
                assert isinstance(to, Reg), "a phi defines registers"
                if to != operand:
                    wanted.append((to, operand))
        overwritten = {to for to, _ in wanted}
        saved = {v: self.b.fresh("phi") for _, v in wanted if isinstance(v, Reg) and v in overwritten}
        for operand, copy in saved.items():
            self.b.move(copy, operand)
        for to, operand in wanted:
            self.b.move(to, saved.get(operand, operand) if isinstance(operand, Reg) else operand)

    def _incoming(self, phi: Inst) -> tuple[Type, Leaves]:
        c = Cursor(phi.cursor.tokens, phi.cursor.file, phi.cursor.at)
        while c.token in ("fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"):
            c.next()
        type_ = self.b.types.parse(c)
        while c.accept("["):
            start = c.at
            depth = 0
            while depth or c.token != ",":
                depth += {"[": 1, "(": 1, "{": 1, "<": 1, "]": -1, ")": -1, "}": -1, ">": -1}.get(c.next(), 0)
            c.next()
            label = plain_name(c.next())
            c.expect("]")
            if label == self.current:
                return type_, self.b.operands(type_, Cursor(c.tokens, c.file, start))
            c.accept(",")
        raise AssertionError(f"{phi.result} should have a value for its predecessor {self.current}")


def targets(i: Inst) -> list[str]:
    """The labels that a terminator can go to; of an invoke, the second is where an exception goes."""
    tokens = i.cursor.tokens
    return [plain_name(tokens[k + 1]) for k, t in enumerate(tokens[:-1]) if t == "label" and tokens[k + 1][0] == "%"]


def reachable(blocks: list[BasicBlock], exceptions: Exceptions) -> set[str]:
    by_label = {block.label: block for block in blocks}
    todo = [blocks[0].label] if blocks else []
    seen: set[str] = set()
    while todo:
        label = todo.pop()
        if label not in seen:
            seen.add(label)
            last = by_label[label].instructions[-1]
            if last.op in ("br", "switch", "invoke", "indirectbr", "callbr"):
                quiet = last.op == "invoke" and not exceptions.invoke_throws(last)
                todo += targets(last)[: 1 if quiet else None]
    return seen


def br(b: Body, i: Inst, blocks: Blocks) -> None:
    c = i.cursor
    found = targets(i)
    if c.accept("label"):
        if found[0] == blocks.current and _ERROR.fullmatch(blocks.current):
            b.fail(ErrorKind.ASSERTION, "the label ERROR is reached")
        else:
            blocks.jump(found[0])
        return
    condition = b.typed(c)[1]
    if found[0] == found[1]:
        blocks.jump(found[0])
        return
    for bad, good in (found, found[::-1]):
        if bad in blocks.traps and good not in blocks.traps:
            compilers_check(b, blocks.traps[bad], condition, holds=good == found[0])
            blocks.jump(good)
            return
    b.branch(condition, blocks.edge(found[0]), blocks.edge(found[1]))


def switch(b: Body, i: Inst, blocks: Blocks) -> None:
    c = i.cursor
    value = b.typed(c)[1]
    found = targets(i)
    while c.next() != "[":
        pass
    cases: list[Operand] = []
    while not c.accept("]"):
        cases.append(b.typed(c)[1])
        c.expect(",")
        c.expect("label")
        c.next()
    edges = [blocks.edge(t) for t in found[1:]]
    b.emit(ins.Switch(value, tuple(cases), tuple(edges), blocks.edge(found[0])))


def ret(b: Body, i: Inst, blocks: Blocks) -> None:
    if is_atomic(b.name):
        end_atomic(b)
    type_ = b.types.parse(i.cursor)
    if isinstance(type_, Void) or leaf_count(type_) == 0:
        b.emit(ins.Return(None))
        return
    first, *rest = b.operands(type_, i.cursor)
    if rest:
        b.unit.returned(len(rest))
        area = b.thread_local(RETURNED)
        for k, value in enumerate(rest):
            b.emit(ins.Store(b.add(area, 8 * k), value, 8, ins.Mode.NA))
    b.emit(ins.Return(first))


def unreachable(b: Body, i: Inst, blocks: Blocks) -> None:
    b.fail(ErrorKind.ABORT, "code that should be unreachable is reached")


def invoke(b: Body, i: Inst, blocks: Blocks) -> None:
    normal, unwind = targets(i)
    b.unwind = blocks.edge(unwind) if b.unit.exceptions.invoke_throws(i) else None
    call(b, i)
    b.unwind = None
    blocks.jump(normal)


def resume(b: Body, i: Inst, blocks: Blocks) -> None:
    exceptions.resume(b, i)


def landing_pad(b: Body, i: Inst, blocks: Blocks) -> None:
    exceptions.landing_pad(b, i)


def indirect(b: Body, i: Inst, blocks: Blocks) -> None:
    raise Unsupported("a computed goto")


def jump_of_assembly(b: Body, i: Inst, blocks: Blocks) -> None:
    """asm goto"""
    skip_attributes(i.cursor)
    way = assembly.translate(b, i, b.types.parse(i.cursor)).way
    behind, *others = targets(i)
    if way is None:
        blocks.jump(behind)
        return
    cases = tuple(Const(n) for n in range(1, len(others) + 1))
    b.emit(ins.Switch(way, cases, tuple(blocks.edge(t) for t in others), blocks.edge(behind)))


HANDLERS: dict[str, Callable[[Body, Inst, Blocks], None]] = {
    "br": br,
    "switch": switch,
    "ret": ret,
    "unreachable": unreachable,
    "invoke": invoke,
    "resume": resume,
    "landingpad": landing_pad,
    "indirectbr": indirect,
    "callbr": jump_of_assembly,
}
