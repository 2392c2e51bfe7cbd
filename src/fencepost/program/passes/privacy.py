"""Which stack memory only its own thread ever sees. Accesses to such memory are not events. And which thread-local
objects others may see: those become an array with an element for each thread.

An address escapes where it is stored in memory that others may see, given to a new thread or to an unknown function, or
left as the result of the thread. Everything here is flow-insensitive and errs towards "escapes".
"""

from __future__ import annotations

from fencepost.program.instructions import (
    Alloca,
    BlockingCas,
    Call,
    Cas,
    Compute,
    Exit,
    Instruction,
    Load,
    Return,
    Rmw,
    Spawn,
    Store,
    StoreConditional,
    Sync,
    ThreadLocalAddress,
)
from fencepost.program.operands import FunctionAddress, Operand, Reg
from fencepost.program.passes.rewrite import map_functions
from fencepost.program.passes.thread_locals import share
from fencepost.program.program import Function, Program
from fencepost.records import dataclass, field, replace

_OURS = "fencepost."
_STORED = {Store: "value", StoreConditional: "value", Rmw: "value", Cas: "desired", BlockingCas: "desired"}


@dataclass
class _ThreadLocals:
    """Origins that mean the same in every function: one bit for each thread-local object. `held`: what other such
    objects their memory may point into."""

    bits: dict[str, int]
    all: int
    held: dict[int, int] = field(default_factory=dict)


@dataclass
class _Facts:
    """What is known of one function. Sets of origins are bit sets: parameters first, then allocas."""

    function: Function
    allocas: dict[int, int]  # index of the instruction -> origin
    reach: list[int]  # per register: what its value may point into
    held: dict[int, int] = field(default_factory=dict)  # per alloca origin: what its memory may point into
    escaped: int = 0
    returned: int = 0
    objects: _ThreadLocals = field(default_factory=lambda: _ThreadLocals({}, 0))

    def of(self, operand: Operand | None) -> int:
        return self.reach[operand.index] if isinstance(operand, Reg) else 0


def find_private(program: Program) -> Program:
    """The program with `private` set on every alloca that does not escape, and without thread-local objects that do."""
    own = [o.name for o in program.objects if o.thread_local and not o.name.startswith(_OURS)]
    objects = _ThreadLocals({name: 1 << (_origins(program) + k) for k, name in enumerate(own)}, 0)
    objects.all = sum(objects.bits.values())
    facts = _learnt(program, objects)
    escaped = 0
    for one in facts.values():
        escaped |= one.escaped & objects.all
    for _ in objects.bits:  # what the memory of a shared one points into, and so on
        for bit, held in objects.held.items():
            escaped |= held if escaped & bit else 0
    shared = frozenset(name for name, bit in objects.bits.items() if escaped & bit)
    return share(map_functions(program, lambda f: _mark(f, facts[f.name])), shared)


def escaping(program: Program) -> dict[str, int]:
    """For each function, the parameters whose value it may let others know or return, as bits."""
    facts = _learnt(program, _ThreadLocals({}, 0))
    return {name: (one.escaped | one.returned) & ((1 << one.function.parameters) - 1) for name, one in facts.items()}


def _origins(program: Program) -> int:
    """So many origins a function has at most: parameters and allocas."""
    return max((f.parameters + sum(isinstance(i, Alloca) for i in f.code) for f in program.functions), default=0)


def _learnt(program: Program, objects: _ThreadLocals) -> dict[str, _Facts]:
    facts = {f.name: _start(f, objects) for f in program.functions}
    changed = True
    while changed:
        changed = False
        for one in facts.values():
            changed |= _grow(one, facts)
    return facts


def _start(function: Function, objects: _ThreadLocals) -> _Facts:
    indices = [n for n, i in enumerate(function.code) if isinstance(i, Alloca)]
    origins = {n: function.parameters + k for k, n in enumerate(indices)}
    reach = [1 << k if k < function.parameters else 0 for k in range(len(function.registers))]
    return _Facts(function, origins, reach, objects=objects)


def _mark(function: Function, facts: _Facts) -> Function:
    code = list(function.code)
    for index, origin in facts.allocas.items():
        i = code[index]
        if isinstance(i, Alloca) and not i.private and not facts.escaped >> origin & 1:
            code[index] = replace(i, private=True)
    same = all(a is b for a, b in zip(code, function.code, strict=True))
    return function if same else replace(function, code=tuple(code))


def _grow(facts: _Facts, others: dict[str, _Facts]) -> bool:
    """One round over the function; whether anything new was learnt."""
    before = (list(facts.reach), dict(facts.held), facts.escaped, facts.returned, dict(facts.objects.held))
    for index, i in enumerate(facts.function.code):
        _look(facts, index, i, others)
    for origin, content in facts.held.items():
        if facts.escaped >> origin & 1:
            facts.escaped |= content
    return before != (facts.reach, facts.held, facts.escaped, facts.returned, facts.objects.held)


def _look(facts: _Facts, index: int, i: Instruction, others: dict[str, _Facts]) -> None:
    match i:
        case Alloca():
            facts.reach[i.dst.index] |= 1 << facts.allocas[index]
        case ThreadLocalAddress():
            facts.reach[i.dst.index] |= facts.objects.bits.get(i.object, 0)
        case Compute():
            for arg in i.args:
                facts.reach[i.dst.index] |= facts.of(arg)
        case Load():
            facts.reach[i.dst.index] |= _content(facts, i.address)
        case Store() | StoreConditional() | Rmw() | Cas() | BlockingCas():
            _keep(facts, i.address, facts.of(getattr(i, _STORED[type(i)])))
            for register in (getattr(i, "old", None), i.dst if isinstance(i, Rmw) else None):
                if register is not None:
                    facts.reach[register.index] |= _content(facts, i.address)
        case Call():
            _call(facts, i, others)
        case Spawn():
            for arg in i.args:
                facts.escaped |= facts.of(arg)
        case Sync():
            for arg in i.args[1:]:  # of the first, only the memory is used
                facts.escaped |= facts.of(arg)
        case Exit():
            facts.escaped |= facts.of(i.value)
        case Return():
            facts.returned |= facts.of(i.value)
            own = sum(1 << o for o in facts.allocas.values())
            facts.escaped |= facts.of(i.value) & own  # it would outlive its call


def _content(facts: _Facts, address: Operand) -> int:
    bases, found = facts.of(address), 0
    for origin in facts.allocas.values():
        if bases >> origin & 1:
            found |= facts.held.get(origin, 0)
    for bit, held in facts.objects.held.items():
        if bases & bit:
            found |= held
    return found


def _keep(facts: _Facts, address: Operand, value: int) -> None:
    """A value is written to memory: it escapes, unless all that memory belongs to allocas."""
    if not value:
        return
    bases = facts.of(address)
    own = sum(1 << o for o in facts.allocas.values())
    if not bases or bases & ~(own | facts.objects.all):
        facts.escaped |= value
    if bases & facts.objects.all:  # of another call, an address on the stack is known to nobody
        facts.escaped |= value & ~facts.objects.all
        for bit in facts.objects.bits.values():
            if bases & bit:
                facts.objects.held[bit] = facts.objects.held.get(bit, 0) | (value & facts.objects.all)
    for origin in facts.allocas.values():
        if bases >> origin & 1:
            facts.held[origin] = facts.held.get(origin, 0) | value


def _call(facts: _Facts, i: Call, others: dict[str, _Facts]) -> None:
    callee = others.get(i.callee.name) if isinstance(i.callee, FunctionAddress) else None
    if i.dst is not None:
        known = [callee] if callee is not None else others.values()
        for one in known:
            facts.reach[i.dst.index] |= one.returned & facts.objects.all
    for k, arg in enumerate(i.args):
        given = facts.of(arg)
        if not given:
            continue
        if callee is None or k >= callee.function.parameters or callee.escaped >> k & 1:
            facts.escaped |= given
        elif callee.returned >> k & 1 and i.dst is not None:
            facts.reach[i.dst.index] |= given
        # what the memory behind the argument holds may be read and kept by the callee
        for origin in facts.allocas.values():
            if given >> origin & 1:
                facts.escaped |= facts.held.get(origin, 0)
