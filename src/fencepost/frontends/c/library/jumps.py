"""setjmp and longjmp. A jump notes where it goes in thread-local memory and returns, as an exception does; behind every
call that may be left so stands a look at that note. `setjmp` gives its call a number of its own, which it keeps in a
register of its function and in the `jmp_buf`: a jump is at its end in the call that holds the number. Where it comes to
the bottom of the thread, that call had returned before."""

from __future__ import annotations

from fencepost.frontends.c.body import ONE, ZERO, Body
from fencepost.frontends.c.exceptions import tell_places
from fencepost.frontends.c.leaving import JUMPS, SETS
from fencepost.frontends.c.library.verifier import is_atomic
from fencepost.frontends.c.site import Handler, Site
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind, Mode, Op
from fencepost.program.operands import Const, FunctionAddress, Operand, Reg
from fencepost.program.program import Object

LOST = "fencepost.lost_jump"  # the function that tells of a jump to a call that is over
_NOTE = "fencepost.jump"
_GOING, _VALUE, _COUNT, _PLACE = 0, 8, 16, 24  # in the note of a thread: the number of a call, or 0, and so on


def _note(b: Body) -> Operand:
    b.unit.add_object(Object(_NOTE, 32, 8, (), True))
    return b.thread_local(_NOTE)


def _get(b: Body, base: Operand, offset: int) -> Reg:
    found = b.fresh("jump")
    b.emit(ins.Load(found, b.add(base, offset), 8, Mode.NA))
    return found


def _set(b: Body, base: Operand, offset: int, value: Operand) -> None:
    b.emit(ins.Store(b.add(base, offset), value, 8, Mode.NA))


def set_jump(b: Body, s: Site) -> Operand:
    """0 when it is called; a jump to it gives another value."""
    note, result, mine = _note(b), b.fresh("setjmp"), b.fresh("number of this setjmp")
    b.move(mine, b.compute(Op.ADD, _get(b, note, _COUNT), ONE))
    _set(b, note, _COUNT, mine)
    _set(b, s[0], 0, mine)
    _set(b, s[0], 8, note)
    b.move(result, ZERO)
    back, after = b.label(), b.label()
    b.jump(after)
    b.mark(back)
    b.move(result, _get(b, note, _VALUE))
    _set(b, note, _GOING, ZERO)
    b.jump(after)
    b.mark(after)
    b.landings.append((mine, back))
    return result


def long_jump(b: Body, s: Site) -> None:
    note = _note(b)
    own = b.compute(Op.EQ, _get(b, s[0], 8), note)
    b.emit(ins.Assert(own, "longjmp to a place that this thread has not set", ErrorKind.BAD_CALL))
    value = b.truncate(s[1], 32)
    _set(b, note, _VALUE, b.compute(Op.SELECT, value, value, ONE))
    _set(b, note, _PLACE, Const(len(b.unit.leaving.places)))
    b.unit.leaving.places.append(b.at)
    _set(b, note, _GOING, _get(b, s[0], 0))
    b.jump(_dispatch(b))


def look(b: Body) -> None:
    """Behind a call that may be left by a jump."""
    if is_atomic(b.name):
        raise Unsupported("a longjmp out of an atomic function")
    go_on = b.label()
    b.branch(_get(b, _note(b), _GOING), _dispatch(b), go_on)
    b.mark(go_on)


def _dispatch(b: Body) -> int:
    """The label at which a function finds out whether a jump goes to it; it stands behind its code."""
    if b.jumping is None:
        b.jumping = b.label()
        b.afterwards.append(lambda: _find_landing(b))
    return b.jumping


def _find_landing(b: Body) -> None:
    assert b.jumping is not None, "somebody asked for this place"
    b.mark(b.jumping)
    going = _get(b, _note(b), _GOING)
    for mine, back in b.landings:
        other = b.label()
        b.branch(b.compute(Op.EQ, going, mine), back, other)
        b.mark(other)
    b.jump(b.leave())


def end_where_it_goes_on(b: Body) -> None:
    """At the bottom of a thread."""
    if not b.unit.leaving.used:
        return
    lost, end = b.label(), b.label()
    b.branch(_get(b, _note(b), _GOING), lost, end)
    b.mark(lost)
    b.emit(ins.Call(None, FunctionAddress(LOST), ()))
    b.jump(end)
    b.mark(end)


def lost(b: Body) -> None:
    """The body of the function that tells of it."""
    place = _get(b, _note(b), _PLACE)
    tell_places(b, place, b.unit.leaving.places, ErrorKind.BAD_CALL, "longjmp to a function that has returned")


FUNCTIONS: dict[str, Handler] = {
    **dict.fromkeys(sorted(SETS), set_jump),
    **dict.fromkeys(sorted(JUMPS), long_jump),
}
