"""Small programs in the toy language of the robustness paper (its Figure 1), written as tuples."""

from __future__ import annotations

from fencepost.program.instructions import (
    Assert,
    Await,
    BlockingCas,
    Branch,
    Cas,
    Compute,
    Fence,
    FenceKind,
    Instruction,
    Jump,
    Load,
    Mode,
    Op,
    Return,
    Rmw,
    RmwOp,
    Store,
)
from fencepost.program.operands import Const, GlobalAddress, Operand, Position, Reg
from fencepost.program.program import Arch, Function, Object, Program, Thread
from fencepost.program.validate import validate

Line = tuple[object, ...]


def build(name: str, *threads: list[Line]) -> Program:
    """Each line is one of

    (W x e)  (R r x)  (FADD r x e)  (XCHG r x e)  (CAS r x e e)  (WAIT x e)  (BCAS x e e)  (FENCE)
    (NAW x e)  (NAR r x)  (SET r e)  (IF e n): jump to line n where e is not 0  (GOTO n)  (ASSERT r)

    with locations x and registers r by name and expressions e that are a number, a register or (op, e, e).
    """
    objects: dict[str, None] = {}
    functions = []
    for index, lines in enumerate(threads):
        functions.append(_Body(lines, objects, f"t{index}").function())
    program = Program(
        name, Arch.FP, tuple(Object(o, 8) for o in sorted(objects)), tuple(functions),
        tuple(Thread(f.name, f.name) for f in functions),
    )  # fmt: skip
    validate(program)
    return program


class _Body:
    def __init__(self, lines: list[Line], objects: dict[str, None], name: str) -> None:
        self.lines, self.objects, self.name = lines, objects, name
        self.registers: dict[str, int] = {}
        self.code: list[Instruction] = []
        self.starts: list[int] = []

    def function(self) -> Function:
        patches: list[tuple[int, int]] = []
        for number, line in enumerate(self.lines):
            self.starts.append(len(self.code))
            self.line(line, patches, Position(self.name, number + 1))
        self.starts.append(len(self.code))
        self.code.append(Return())
        for index, target in patches:
            old = self.code[index]
            if isinstance(old, Jump):
                self.code[index] = Jump(self.starts[target], at=old.at)
            elif isinstance(old, Branch):
                self.code[index] = Branch(old.condition, self.starts[target], index + 1, at=old.at)
        return Function(self.name, tuple(self.registers), 0, tuple(self.code))

    def reg(self, name: object) -> Reg:
        return Reg(self.registers.setdefault(str(name), len(self.registers)))

    def place(self, name: object) -> Operand:
        self.objects.setdefault(str(name))
        return GlobalAddress(str(name))

    def value(self, e: object, at: Position) -> Operand:
        if isinstance(e, int):
            return Const(e)
        if isinstance(e, tuple):
            args = tuple(self.value(a, at) for a in e[1:])
            dst = self.reg(f"_{len(self.code)}")
            self.code.append(Compute(dst, args, Op(e[0]), at=at))
            return dst
        return self.reg(e)

    def line(self, line: Line, patches: list[tuple[int, int]], at: Position) -> None:
        def val(e: object) -> Operand:
            return self.value(e, at)

        add = self.code.append
        match line:
            case ("W", x, e):
                add(Store(self.place(x), val(e), mode=Mode.REL, at=at))
            case ("NAW", x, e):
                add(Store(self.place(x), val(e), mode=Mode.NA, at=at))
            case ("R", r, x):
                add(Load(self.reg(r), self.place(x), mode=Mode.ACQ, at=at))
            case ("NAR", r, x):
                add(Load(self.reg(r), self.place(x), mode=Mode.NA, at=at))
            case ("FADD", r, x, e):
                add(Rmw(self.reg(r), self.place(x), val(e), RmwOp.ADD, mode=Mode.ACQ_REL, at=at))
            case ("XCHG", r, x, e):
                add(Rmw(self.reg(r), self.place(x), val(e), RmwOp.XCHG, mode=Mode.ACQ_REL, at=at))
            case ("CAS", r, x, e, d):
                expected, desired = val(e), val(d)
                add(
                    Cas(
                        self.reg(r),
                        None,
                        self.place(x),
                        expected,
                        desired,
                        mode=Mode.ACQ_REL,
                        failure=Mode.ACQ,
                        at=at,
                    )
                )
            case ("WAIT", x, e):
                add(Await(None, self.place(x), val(e), mode=Mode.ACQ, at=at))
            case ("BCAS", x, e, d):
                expected, desired = val(e), val(d)
                add(BlockingCas(self.place(x), expected, desired, mode=Mode.ACQ_REL, at=at))
            case ("FENCE",):
                add(Fence(FenceKind.SC, at=at))
            case ("SET", r, e):
                add(Compute(self.reg(r), (val(e),), Op.MOV, at=at))
            case ("IF", e, int(n)):
                condition = val(e)
                patches.append((len(self.code), n))
                add(Branch(condition, 0, 0, at=at))
            case ("GOTO", int(n)):
                patches.append((len(self.code), n))
                add(Jump(0, at=at))
            case ("ASSERT", r):
                add(Assert(self.reg(r), "the register should not be 0", at=at))
            case _:
                raise AssertionError(f"unknown line {line}")


#: The litmus programs of §2 to §4, and whether they are robust against RA, TSO and SRA.
LITMUS: dict[str, tuple[Program, dict[str, bool]]] = {}


def _litmus(name: str, ra: bool, tso: bool, *threads: list[Line], sra: bool | None = None) -> None:
    LITMUS[name] = (build(name, *threads), {"ra": ra, "tso": tso, "sra": ra if sra is None else sra})


_litmus("SB", False, False, [("W", "x", 1), ("R", "a", "y")], [("W", "y", 1), ("R", "b", "x")])
_litmus("SB-zeros", False, False, [("W", "x", 0), ("R", "a", "y")], [("W", "y", 0), ("R", "b", "x")])
_litmus("MP", True, True, [("W", "x", 1), ("W", "y", 1)], [("R", "a", "y"), ("R", "b", "x")])
_litmus(
    "IRIW", False, True,
    [("W", "x", 1)], [("R", "a", "x"), ("R", "b", "y")], [("R", "c", "y"), ("R", "d", "x")], [("W", "y", 1)],
)  # fmt: skip
_litmus(
    "2+2W", False, True,
    [("W", "x", 1), ("W", "y", 2), ("R", "a", "y")], [("W", "y", 1), ("W", "x", 2), ("R", "a", "x")], sra=True,
)  # fmt: skip
_litmus("2+2W-no-reads", False, True, [("W", "x", 1), ("W", "y", 2)], [("W", "y", 1), ("W", "x", 2)], sra=True)
_litmus("R", False, False, [("W", "x", 1), ("R", "a", "y")], [("W", "y", 1), ("W", "x", 2)])
_litmus("2RMW", True, True, [("CAS", "a", "x", 0, 1)], [("CAS", "b", "x", 0, 1)])
_litmus(
    "SB+RMWs", True, True,
    [("W", "x", 1), ("FADD", "r", "f", 0), ("R", "a", "y")], [("W", "y", 1), ("FADD", "r", "f", 0), ("R", "b", "x")],
)  # fmt: skip
_litmus(
    "SB+RMWs-two-locations", False, True,
    [("W", "x", 1), ("FADD", "r", "f", 0), ("R", "a", "y")], [("W", "y", 1), ("FADD", "r", "g", 0), ("R", "b", "x")],
)  # fmt: skip
_litmus(
    "SB+fences", True, True,
    [("W", "x", 1), ("FENCE",), ("R", "a", "y")], [("W", "y", 1), ("FENCE",), ("R", "b", "x")],
)  # fmt: skip
_litmus("BAR", True, True, [("W", "x", 1), ("WAIT", "y", 1)], [("W", "y", 1), ("WAIT", "x", 1)])
_litmus(
    "BAR-busy", False, False,
    [("W", "x", 1), ("R", "r", "y"), ("IF", ("ne", "r", 1), 1)],
    [("W", "y", 1), ("R", "r", "x"), ("IF", ("ne", "r", 1), 1)],
)  # fmt: skip
