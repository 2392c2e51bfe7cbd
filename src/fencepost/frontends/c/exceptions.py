"""C++ exceptions. A throw notes what flies in thread-local memory and returns; behind every call that may throw stands
a look at that note, which goes on to the landing pad or returns in its turn. None of this is an event of an execution.

Where no handler is in the program, a throw is an error on the spot and nothing of this is emitted. The rest is in
`support/exceptions.c`: what an exception is made of, and which handlers it fits."""

from __future__ import annotations

from collections.abc import Sequence

from fencepost.frontends.c.body import ZERO, Body
from fencepost.frontends.c.llvm.module import Inst
from fencepost.frontends.c.throwing import UNCAUGHT
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind, Mode
from fencepost.program.operands import Const, FunctionAddress, Operand, Position
from fencepost.program.program import Object

FLYING, PLACE = "fencepost_flying", "fencepost.thrown_at"
NOBODY = "an exception is thrown and nobody catches it"


def flying(b: Body) -> Operand:
    """The address of what this thread has thrown and not caught; 0 is nothing."""
    local = b.unit.thread_local(FLYING)
    assert local is not None, "our library has this variable"
    return b.thread_local(local)


def note_place(b: Body) -> None:
    """Before a throw: where it stands, for the case that nobody catches it."""
    b.unit.add_object(Object(PLACE, 8, 8, (), True))
    b.emit(ins.Store(b.thread_local(PLACE), Const(b.unit.exceptions.thrown_from(b.at)), 8, Mode.NA))


def look(b: Body) -> None:
    """Behind a call that may throw."""
    thrown = b.fresh("flying")
    b.emit(ins.Load(thrown, flying(b), 8, Mode.NA))
    go_on = b.label()
    b.branch(thrown, b.unwind if b.unwind is not None else b.leave(), go_on)
    b.mark(go_on)


def end_where_it_flies(b: Body) -> None:
    """At the bottom of a thread."""
    if not b.unit.exceptions.caught:
        return
    thrown, failed, end = b.fresh("flying"), b.label(), b.label()
    b.emit(ins.Load(thrown, flying(b), 8, Mode.NA))
    b.branch(thrown, failed, end)
    b.mark(failed)
    b.emit(ins.Call(None, FunctionAddress(UNCAUGHT), ()))
    b.jump(end)
    b.mark(end)


def uncaught(b: Body) -> None:
    """The body of the function that tells of an exception that nobody catches, at the place where it was thrown."""
    b.unit.add_object(Object(PLACE, 8, 8, (), True))
    place = b.fresh("place")
    b.emit(ins.Load(place, b.thread_local(PLACE), 8, Mode.NA))
    tell_places(b, place, b.unit.exceptions.places, ErrorKind.ABORT, NOBODY)


def tell_places(b: Body, place: Operand, places: Sequence[Position | None], kind: ErrorKind, message: str) -> None:
    """An error at the place of this number."""
    labels, other = [b.label() for _ in places], b.label()
    b.emit(ins.Switch(place, tuple(Const(k) for k in range(len(places))), tuple(labels), other))
    for at, label in zip([*places, None], [*labels, other], strict=True):
        b.mark(label)
        b.at = at
        b.fail(kind, message)


def landing_pad(b: Body, i: Inst) -> None:
    """What flies, and the number of the first clause that it fits; 0 for a cleanup."""
    c = i.cursor
    b.types.parse(c)
    thrown, number = b.fresh("thrown"), b.fresh("selector")
    b.emit(ins.Load(thrown, flying(b), 8, Mode.NA))
    b.move(number, ZERO)
    end, cleanup = b.label(), False
    while c.token in ("cleanup", "catch", "filter"):
        word = c.next()
        if word == "filter":
            raise Unsupported("a dynamic exception specification")
        if word == "cleanup":
            cleanup = True
            continue
        type_ = b.typed(c)[1]
        fits, found, other = b.fresh("fits"), b.label(), b.label()
        b.emit(ins.Call(fits, b.unit.address("fencepost_fits"), (thrown, type_)))
        b.branch(fits, found, other)
        b.mark(found)
        b.move(number, Const(b.unit.exceptions.type_number(type_)))
        b.jump(end)
        b.mark(other)
    b.jump(end if cleanup else b.leave())
    b.mark(end)
    b.emit(ins.Store(flying(b), ZERO, 8, Mode.NA))
    b.bind(i.result, (thrown, number))


def resume(b: Body, i: Inst) -> None:
    thrown = b.operands(b.types.parse(i.cursor), i.cursor)[0]
    b.emit(ins.Store(flying(b), thrown, 8, Mode.NA))
    b.jump(b.leave())
