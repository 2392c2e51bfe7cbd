"""Structs, arrays and small vectors as values: they are their scalars, side by side."""

from __future__ import annotations

from collections.abc import Callable

from fencepost.frontends.c.body import ZERO, Body
from fencepost.frontends.c.llvm.module import Inst
from fencepost.frontends.c.llvm.tokens import Cursor
from fencepost.frontends.c.llvm.types import ArrayOf, Type, leaf_count, step_into
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program.operands import Const


def _inner(type_: Type, c: Cursor) -> tuple[Type, int]:
    """Follows the indices that stand here: the member, and the number of scalars before it."""
    before = 0
    while c.accept(",") and not c.token.startswith("!"):
        type_, _, skipped = step_into(type_, int(c.next()))
        before += skipped
    return type_, before


def extract_value(b: Body, i: Inst) -> None:
    type_ = b.types.parse(i.cursor)
    values = b.operands(type_, i.cursor)
    member, at = _inner(type_, i.cursor)
    b.bind(i.result, values[at : at + leaf_count(member)])


def insert_value(b: Body, i: Inst) -> None:
    c = i.cursor
    type_ = b.types.parse(c)
    values = list(b.operands(type_, c))
    c.expect(",")
    new = b.operands(b.types.parse(c), c)
    _, at = _inner(type_, c)
    values[at : at + len(new)] = new
    b.bind(i.result, tuple(values))


def _index(b: Body, c: Cursor) -> int:
    index = b.typed(c)[1]
    if not isinstance(index, Const):
        raise Unsupported("an element of a vector at a computed index")
    return index.value


def extract_element(b: Body, i: Inst) -> None:
    c = i.cursor
    values = b.operands(b.types.parse(c), c)
    c.expect(",")
    b.bind(i.result, (values[_index(b, c)],))


def insert_element(b: Body, i: Inst) -> None:
    c = i.cursor
    values = list(b.operands(b.types.parse(c), c))
    c.expect(",")
    new = b.typed(c)[1]
    c.expect(",")
    values[_index(b, c)] = new
    b.bind(i.result, tuple(values))


def shuffle(b: Body, i: Inst) -> None:
    c = i.cursor
    both = b.operands(b.types.parse(c), c)
    c.expect(",")
    both += b.operands(b.types.parse(c), c)
    c.expect(",")
    mask_type = b.types.parse(c)
    assert isinstance(mask_type, ArrayOf), "a shuffle has a vector of indices"
    mask = b.operands(mask_type, c)
    b.bind(i.result, tuple(both[m.value] if isinstance(m, Const) else ZERO for m in mask))


HANDLERS: dict[str, Callable[[Body, Inst], None]] = {
    "extractvalue": extract_value,
    "insertvalue": insert_value,
    "extractelement": extract_element,
    "insertelement": insert_element,
    "shufflevector": shuffle,
}
