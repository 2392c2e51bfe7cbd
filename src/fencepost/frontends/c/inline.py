"""The operands of inline assembly, as LLVM writes them: a list of constraints, outputs first, then the values."""

from __future__ import annotations

import re

from fencepost.frontends.c.body import ZERO, Body, Leaves
from fencepost.frontends.c.constants import bits_of
from fencepost.frontends.c.llvm.module import Inst, is_attribute
from fencepost.frontends.c.llvm.tokens import Cursor, unescape
from fencepost.frontends.c.llvm.types import StructOf, Type, Void
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program.operands import Const, Operand, Reg
from fencepost.records import dataclass

_IMMEDIATE = re.compile(r"[inseI-P]+")  # letters that allow numbers only
_CONSTRAINT = re.compile(r"(?:\{[^}]*\}|[^,{])+")
#: What locked operations on the stack are for: a fence. A number begins with one $ for the machine, with two for LLVM.
LOCKED_STACK = re.compile(r"lock (?:add|or)[lq] \${1,2}0(?:x0)?\s*,\s*-?\w*\(%[er]sp\)\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """An operand of a template: memory at `address`, or the register `value`. `register` is the machine's register that
    the constraint asks for, where it asks for one; `flag` the condition whose outcome it is; `constant` a number that
    stands in the text itself."""

    bits: int
    address: Operand | None = None
    value: Reg | None = None
    register: str = ""
    flag: str = ""
    constant: Const | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """`written`: the registers that have a value, because they came with one or an instruction gave it. `exits`: to how
    many labels of the program it may jump; then `way` is 0 behind it, or the number of the label, from 1 on."""

    text: str
    places: list[Place]
    results: list[Place]
    written: set[Reg]
    exits: int = 0
    way: Reg | None = None


def read_template(b: Body, i: Inst, type_: Type) -> Template:
    """The template behind `call TYPE asm`. Registers that are both read and written are one place."""
    c = i.cursor
    texts = [t for t in c.tokens[c.at :] if t[0] == '"']
    while c.token != "(":
        c.next()
    everything = [k for k in _CONSTRAINT.findall(unescape(texts[1][1:-1])) if not k.startswith("~")]
    constraints = [k for k in everything if not k.startswith("!")]
    exits = len(everything) - len(constraints)  # since LLVM 15; before it labels are values
    given = iter(_arguments(b, c))
    sizes = iter(_result_bits(type_))
    places: list[Place] = []
    results: list[Place] = []
    written: set[Reg] = set()
    for k in constraints:
        register = found.group(1) if (found := re.search(r"\{(\w+)\}", k)) else ""
        tied = k.isdigit()
        if k.startswith("=") and "*" not in k:
            flag = found.group(1) if (found := re.search(r"\{@cc(\w+)\}", k)) else ""
            places.append(Place(next(sizes), None, b.fresh("asm"), register, flag))
            results.append(places[-1])
            continue
        bits, value = next(given)
        if value is None:
            exits += 1
        elif "*" in k:
            places.append(Place(bits, value))
        elif tied and (to := places[int(k)].value) is not None:
            b.move(to, value)
            written.add(to)
            places.append(places[int(k)])
        elif tied:
            places.append(places[int(k)])
        elif isinstance(value, Const) and _IMMEDIATE.fullmatch(k):
            places.append(Place(bits, constant=value))
        else:
            held = b.fresh("asm")
            b.move(held, value)
            written.add(held)
            places.append(Place(bits, None, held, register))
    way = b.fresh("way") if exits else None
    return Template(unescape(texts[0][1:-1]), places, results, written, exits, way)


def _result_bits(type_: Type) -> list[int]:
    if isinstance(type_, Void):
        return []
    return [bits_of(m) for m in type_.members or ()] if isinstance(type_, StructOf) else [bits_of(type_)]


def _arguments(b: Body, c: Cursor) -> list[tuple[int, Operand | None]]:
    """The values, each with its width; of a pointer to memory, that of the memory. None for a label."""
    c.expect("(")
    found: list[tuple[int, Operand | None]] = []
    while not c.accept(")"):
        type_ = b.types.parse(c)
        bits = 64 if isinstance(type_, StructOf) else bits_of(type_)
        while is_attribute(c.token):
            if c.accept("elementtype"):
                c.expect("(")
                bits = 8 * b.types.parse(c).size
                c.expect(")")
            else:
                c.next()
                c.skip_group()
        if c.accept("blockaddress"):
            c.skip_group()
            found.append((bits, None))
        else:
            found.append((bits, b.operand(type_, c)))
        c.accept(",")
    return found


def bind_results(b: Body, i: Inst, template: Template) -> None:
    if any(p.value not in template.written for p in template.results):
        raise Unsupported(f'inline assembly with a result that nothing gives: "{template.text}"')
    values: Leaves = tuple(b.truncate(p.value or ZERO, p.bits) for p in template.results)
    if i.result is not None and values:
        b.bind(i.result, values)
