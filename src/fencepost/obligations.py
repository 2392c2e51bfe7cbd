"""What an exploration out of program order rests on, tried on all small programs: `fencepost models --check MODEL`.

docs/how/power.md asks four things of a model and of the rules that say what an event needs (commit-before):

    valid           commit-before has no cycle in an execution that the model allows
    prefix-closed   a part of such an execution that holds all that its events need is allowed, too
    stable          what an event needs is the same in every execution that has the event and what it needs
    complete        the search finds each execution once. Where a canonical choice is not allowed it ends in dead ends,
                    which are counted

The programs: every thread of a load, up to `between` other events, and a store, against a thread that reads what the
store wrote and writes what the load reads. A cycle of commit-before enters a thread by a read of another's write and
leaves it by a write, so a rule that is not valid shows itself on such a path. The executions are those of enumeration,
which knows nothing of commit-before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from itertools import product

from fencepost.enumerate.enumeration import Status, enumerate_all
from fencepost.execution.execution import Execution
from fencepost.models.registry import Model
from fencepost.options import ExploreOptions
from fencepost.prepare.ready import ready
from fencepost.program.instructions import (
    Branch,
    Cas,
    Compute,
    Fence,
    FenceKind,
    Instruction,
    Load,
    Mode,
    Op,
    Return,
    Rmw,
    RmwOp,
    Store,
)
from fencepost.program.operands import Const, GlobalAddress, Operand, Reg
from fencepost.program.printer import print_program
from fencepost.program.program import Arch, Function, Object, Program, Thread
from fencepost.program.validate import validate
from fencepost.records import dataclass
from fencepost.reference.split_graph import Node
from fencepost.reference.split_rules import MODELS
from fencepost.reference.split_whole import Whole
from fencepost.reference.trust_cb import explore

_SIZE = 8
_RLX, _ACQ, _REL, _BOTH, _SC = Mode.RLX, Mode.ACQ, Mode.REL, Mode.ACQ_REL, Mode.SC
_C11_FENCES = (FenceKind.ACQ, FenceKind.REL, FenceKind.ACQ_REL, FenceKind.SC)


@dataclass(frozen=True, slots=True)
class Alphabet:
    """What the programs for a model are made of."""

    arch: Arch
    fences: tuple[FenceKind, ...]
    loads: tuple[Mode, ...] = (_RLX,)
    stores: tuple[Mode, ...] = (_RLX,)
    updates: tuple[Mode, ...] = (_RLX,)


_ARMV8_FENCES = (FenceKind.DMB_SY, FenceKind.DMB_LD, FenceKind.DMB_ST, FenceKind.ISB)
_ALPHABETS = {
    "power": Alphabet(Arch.PPC, (FenceKind.SYNC, FenceKind.LWSYNC, FenceKind.EIEIO, FenceKind.ISYNC)),
    "armv8": Alphabet(
        Arch.AARCH64, _ARMV8_FENCES, (_RLX, _ACQ, Mode.ACQ_PC), (_RLX, _REL), (_RLX, _ACQ, _REL, _BOTH)
    ),
    "armv7": Alphabet(Arch.AARCH64, _ARMV8_FENCES),
    "riscv": Alphabet(
        Arch.RISCV,
        (FenceKind.FENCE_RW_RW, FenceKind.FENCE_R_RW, FenceKind.FENCE_RW_W, FenceKind.FENCE_W_W, FenceKind.FENCE_TSO),
        (_RLX, _ACQ), (_RLX, _REL), (_RLX, _ACQ, _REL, _BOTH),
    ),
    "imm": Alphabet(Arch.C11, _C11_FENCES, (_RLX, _ACQ, _SC), (_RLX, _REL, _SC), (_RLX, _ACQ, _REL, _SC)),
}  # fmt: skip
_LIKE = {"armv8-2018": "armv8"}
#: For a model of the user's: C11 programs.
_OTHERS = Alphabet(Arch.C11, _C11_FENCES, (_RLX, _ACQ), (_RLX, _REL), (_RLX, _BOTH))

# --- the programs ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Item:
    """An event of a program: what it does and what it depends on, of the read before it."""

    kind: str  # load, store, fence, exchange, add, compare
    place: str = ""
    mode: Mode = _RLX
    depends: str = ""  # addr, data, ctrl
    fence: FenceKind | None = None


def items(a: Alphabet, places: str) -> Iterator[Item]:
    """Everything that may stand between."""
    for place in places:
        yield from (Item("load", place, m, d) for m in a.loads for d in ("", "addr"))
        yield from (Item("store", place, m, d) for m in a.stores for d in ("", "addr", "data", "ctrl"))
        yield from (Item("exchange", place, m, d) for m in a.updates for d in ("", "data"))
        yield from (Item(kind, place, m) for m in a.updates for kind in ("add", "compare"))
    yield from (Item("fence", fence=f) for f in a.fences)


def programs(a: Alphabet, between: int) -> Iterator[Program]:
    """All of them. `between`: how many events stand between the load and the store, at most."""
    firsts = [Item("load", "x", m) for m in a.loads]
    lasts = [Item("store", "y", m, d) for m in a.stores for d in ("", "addr", "data", "ctrl")]
    middles = list(items(a, "xyz"))
    for count in range(between + 1):
        for first, middle, last in product(firsts, product(middles, repeat=count), lasts):
            yield program(a.arch, [first, *middle, last])


def program(arch: Arch, body: list[Item]) -> Program:
    back = [Item("load", "y"), Item("store", "x", depends="data")]
    functions = (_function("P", body), _function("Q", back))
    objects = tuple(Object(name, _SIZE) for name in "xyz")
    return validate(Program("small", arch, objects, functions, (Thread("P", "P"), Thread("Q", "Q"))))


def _function(name: str, body: list[Item]) -> Function:
    code: list[Instruction] = []
    registers = 3 * len(body)
    last: Reg | None = None
    for k, item in enumerate(body):
        result, zero, operand = Reg(3 * k), Reg(3 * k + 1), Reg(3 * k + 2)
        where: Operand = GlobalAddress(item.place) if item.place else Const(0)
        value: Operand = Const(1)
        if last is not None and item.depends:
            code.append(Compute(zero, (last, last), Op.XOR))
            if item.depends == "addr":
                code.append(Compute(operand, (zero, where), Op.ADD))
                where = operand
            elif item.depends == "data":
                code.append(Compute(operand, (zero, Const(1)), Op.ADD))
                value = operand
            else:
                code.append(Branch(zero, len(code) + 1, len(code) + 1))
        code.append(_instruction(item, result, operand, where, value))
        last = result if item.kind not in ("store", "fence") else last
    return Function(name, tuple(f"r{k}" for k in range(registers)), 0, (*code, Return()))


def _instruction(item: Item, result: Reg, other: Reg, where: Operand, value: Operand) -> Instruction:
    match item.kind:
        case "load":
            return Load(result, where, _SIZE, item.mode)
        case "store":
            return Store(where, value, _SIZE, item.mode)
        case "exchange" | "add":
            return Rmw(result, where, value, RmwOp.XCHG if item.kind == "exchange" else RmwOp.ADD, _SIZE, item.mode)
        case "compare":
            failure = _ACQ if item.mode.acquires else _RLX
            return Cas(result, other, where, Const(0), Const(1), _SIZE, item.mode, failure)
    assert item.fence is not None, "what is no access should be a fence"
    return Fence(item.fence)


# --- the obligations -------------------------------------------------------------------------------------------------


@dataclass
class Checked:
    """What was tried. `broken`: of each obligation that does not hold, a program and what is wrong there."""

    model: str
    rules: str
    programs: int = 0
    executions: int = 0
    parts: int = 0
    dead_ends: int = 0
    broken: dict[str, tuple[str, str]] = field(default_factory=dict)


def check(model: Model, rules: str = "", between: int = 1, every: int = 1) -> Checked:
    """`rules`: of which of our models; the model's own by default, and for a model of the user's those that every model
    has ("weakest"). `every`: only each so many of the programs."""
    name = _LIKE.get(model.name, model.name) if model.ours else ""
    rules = rules or (name if name in MODELS else "weakest")
    found = Checked(model.name, rules)
    alphabet = _ALPHABETS.get(name, _OTHERS)
    for number, p in enumerate(programs(alphabet, between)):
        if number % every == 0:
            look_at(p, model, found)
    return found


def look_at(p: Program, model: Model, found: Checked) -> None:
    """Tries what was not found broken yet on one program."""
    lowered = ready(p, model, ExploreOptions(model=model.name))
    listed = [f.execution for f in enumerate_all(lowered, model) if f.status is Status.COMPLETE]
    found.programs += 1
    found.executions += len(listed)
    wholes = [Whole(lowered, found.rules, x) for x in listed]

    def allows(x: Execution) -> bool:
        return model.judge(x, all_violations=False).consistent

    tries: dict[str, Callable[[], str]] = {
        "valid": lambda: _cycle(wholes),
        "prefix-closed": lambda: _forbidden_part(wholes, allows, found),
        "stable": lambda: _unstable(wholes),
        "complete": lambda: _differs(lowered, listed, found, allows),
    }
    for obligation, wrong in tries.items():
        if obligation not in found.broken and (text := wrong()):
            found.broken[obligation] = print_program(p), text


def _cycle(wholes: list[Whole]) -> str:
    return next((f"a cycle through {n}" for w in wholes if (n := w.cycle()) is not None), "")


def _forbidden_part(wholes: list[Whole], allows: Callable[[Execution], bool], found: Checked) -> str:
    seen: set[object] = set()
    for whole in wholes:
        if whole.cycle() is not None:
            continue
        for part in whole.parts():
            x = part.execution()
            key = x.canonical()
            if key in seen:
                continue
            seen.add(key)
            found.parts += 1
            if not allows(x):
                return f"the model forbids the part {sorted(part.events)}"
    return ""


def _unstable(wholes: list[Whole]) -> str:
    """Two executions that agree on an event and on what it needs in one of them, and not on what it needs."""
    for one, other in product(wholes, repeat=2):
        if one is other or one.cycle() is not None:
            continue
        for n in one.graph.events:
            agree = all(other.label(d) == one.label(d) for d in (n, *one.below(n)))
            if agree and other.direct[n] != one.direct[n]:
                return f"{n} needs {_told(one.direct[n])} in one execution, {_told(other.direct[n])} in another"
    return ""


def _told(nodes: set[Node]) -> str:
    return ", ".join(map(str, sorted(nodes))) or "nothing"


def _differs(
    lowered: Program, listed: list[Execution], found: Checked, allows: Callable[[Execution], bool]
) -> str:  # fmt: skip
    explored = explore(lowered, found.rules, allows)
    found.dead_ends += explored.dead_ends
    wanted = {x.canonical() for x in listed}
    lost, extra = len(wanted - explored.seen.keys()), len(explored.seen.keys() - wanted)
    again = explored.duplicates
    if not (lost or extra or again):
        return ""
    return f"the search loses {lost} of {len(wanted)} executions, finds {extra} too many and {again} twice"
