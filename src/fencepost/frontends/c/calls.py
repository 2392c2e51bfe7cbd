"""Calls: of functions in the program, through pointers, of the library, of intrinsics, and inline assembly."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from fencepost.frontends.c import assembly, exceptions, intrinsics, throwing
from fencepost.frontends.c.assigned import begins
from fencepost.frontends.c.body import ZERO, Body, Leaves
from fencepost.frontends.c.library import endings, jumps, streams
from fencepost.frontends.c.library.table import library
from fencepost.frontends.c.llvm.module import Inst, argument_attributes, skip_attributes
from fencepost.frontends.c.llvm.tokens import Cursor, plain_name, value_name
from fencepost.frontends.c.llvm.types import PTR, WIDE, Float, FunctionType, Type, Void, leaf_count
from fencepost.frontends.c.memory import copy_memory
from fencepost.frontends.c.site import Argument, Site
from fencepost.frontends.c.unit import RETURNED
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.operands import Const, FunctionAddress, Operand, Reg

_RUST_PANIC = re.compile(r"_ZN(4core9panicking|3std9panicking)|_RN.*4core9panicking")
#: Functions of ours that call functions of the program: a jump does not go through them.
_WORD = 8
_CALL_BACK = frozenset({"qsort", "bsearch", "pthread_once", "call_once"})


def call(b: Body, i: Inst) -> None:
    c = i.cursor
    skip_attributes(c)
    type_ = b.types.parse(c)
    if c.token == "asm":
        assembly.translate(b, i, type_)
        return
    result_type = type_.result if isinstance(type_, FunctionType) else type_
    if c.token[:1] == "@":
        name = b.unit.resolve(plain_name(c.next()))
        if name.startswith("llvm.dbg."):
            return
        if name.startswith("llvm.lifetime."):
            _scope(b, i)
            return
        site = Site(name, arguments(b, c), result_type, i.result)
        _direct(b, site, type_)
        return
    callee = b.operands(PTR, c)[0]
    found = arguments(b, c)
    site = Site("", found, result_type, i.result)
    if isinstance(callee, FunctionAddress) and b.unit.linked.function(callee.name) is not None:
        _direct(b, Site(callee.name, found, result_type, i.result), type_)
        return
    variadic = len(type_.parameters) if isinstance(type_, FunctionType) and type_.variadic else None
    finish(b, site, callee, variadic)


def unsupported(b: Body, i: Inst) -> str:
    """What is not supported about a call of a function by its name; empty where there is no such thing."""
    tokens = i.cursor.tokens if i.op in ("call", "invoke") else []
    called = next((t for t, then in pairwise(tokens) if t[0] == "@" and then == "("), "")
    name = b.unit.resolve(plain_name(called)) if called else ""
    if not name or name.startswith("llvm.") or streams.replaced(name) is not None or b.unit.defined(name) is not None:
        return ""
    known = library().get(name) is not None or _RUST_PANIC.match(name) is not None
    return "" if known else f"call to {b.unit.shown(name)}"


def _scope(b: Body, i: Inst) -> None:
    """A variable begins to live, and has no value yet; or it lives no longer."""
    variable = next((plain_name(t) for t in reversed(i.cursor.tokens) if t[0] == "%"), "")
    if variable in b.assigned and begins(i):
        b.move(b.assigned[variable], ZERO)
    elif variable in b.kept and variable in b.values:
        b.emit(ins.Scope(b.values[variable][0], ends=not begins(i), unset=begins(i)))


def arguments(b: Body, c: Cursor) -> list[Argument]:
    c.expect("(")
    found: list[Argument] = []
    while not c.accept(")"):
        type_ = b.types.parse(c)
        byval, align = argument_attributes(c, b.types)
        if isinstance(type_, Void):  # metadata
            while c.token not in (",", ")"):
                c.next()
                c.skip_group()
            c.accept(",")
            continue
        name = value_name(c.token)
        values = b.operands(type_, c)
        if byval is not None:
            values = (_copied(b, byval, values[0]),)
        found.append(Argument(type_, values, name, align, byval))
        c.accept(",")
    return found


def _copied(b: Body, type_: Type, source: Operand) -> Operand:
    copy = b.fresh("byval")
    b.emit(ins.Alloca(copy, Const(type_.size), max(1, type_.align), False, "argument"))
    copy_memory(b, copy, source, type_)
    return copy


def _direct(b: Body, site: Site, type_: Type) -> None:
    if site.callee == throwing.TERMINATE and b.unit.exceptions.caught:
        b.emit(ins.Call(None, FunctionAddress(throwing.UNCAUGHT), ()))
        return
    instead = streams.replaced(site.callee)
    if b.new_thread and not site.callee.startswith("llvm."):
        _new_thread(b, site)
        return
    defined = b.unit.defined(site.callee) if instead is None else None
    if defined is not None:
        variadic = len(defined.parameters) if defined.variadic else None
        finish(b, site, b.unit.address(site.callee), variadic)
        return
    handler = instead or (intrinsics.find if site.callee.startswith("llvm.") else library().get)(site.callee)
    if handler is None and _RUST_PANIC.match(site.callee):
        b.fail(ins.ErrorKind.ABORT, "a panic")
        return
    if handler is None:
        raise Unsupported(f"call to {b.unit.shown(site.callee)}")
    if site.callee in _CALL_BACK and b.unit.leaving.used:
        raise Unsupported(f"{b.unit.shown(site.callee)} in a program with longjmp")
    found = handler(b, site)
    count = 0 if isinstance(site.result_type, Void) else leaf_count(site.result_type)
    values: Leaves = () if found is None else found if isinstance(found, tuple) else (found,)
    values = (values + (ZERO,) * count)[:count]
    if site.result is not None:
        b.bind(site.result, values)


def _new_thread(b: Body, site: Site) -> None:
    """What stands behind a label that has a new thread do it: a call of a function of the program."""
    b.new_thread = False
    operands = tuple(v for a in site.args for v in a.values)
    defined = b.unit.defined(site.callee)
    if defined is None or len(operands) > 1:
        raise Unsupported(f"a new thread that calls {b.unit.shown(site.callee)}, not a function with one argument")
    function, args = endings.spawned(b, b.unit.address(site.callee), *operands or (ZERO,))
    b.emit(ins.Spawn(b.fresh("thread"), function, args if defined.parameters else args[:-1]))
    if site.result is not None:
        b.bind(site.result, (ZERO,) * leaf_count(site.result_type))


def finish(b: Body, site: Site, callee: Operand, variadic: int | None) -> None:
    """Emits the call itself. `variadic`: how many arguments are named; the others go through memory."""
    named = site.args if variadic is None else site.args[:variadic]
    operands = [v for a in named for v in a.values]
    if variadic is not None:
        operands.append(_area(b, site.args[variadic:]))
    count = 0 if isinstance(site.result_type, Void) else leaf_count(site.result_type)
    first = b.fresh(site.result or "unused") if count else None
    if site.callee in throwing.THROWS:
        exceptions.note_place(b)
    b.emit(ins.Call(first, callee, tuple(operands)))
    if b.unit.exceptions.may_throw(site.callee) if site.callee else b.unit.exceptions.caught:
        exceptions.look(b)
    if b.unit.leaving.may_jump(site.callee) if site.callee else b.unit.leaving.used:
        jumps.look(b)
    if count and first is not None:
        b.bind(site.result, (first, *_rest(b, count - 1)))


def _rest(b: Body, count: int) -> list[Reg]:
    """What a function returned beyond its first word."""
    if not count:
        return []
    b.unit.returned(count)
    area = b.thread_local(RETURNED)
    found = [b.fresh("returned") for _ in range(count)]
    for k, register in enumerate(found):
        b.emit(ins.Load(register, b.add(area, 8 * k), 8, ins.Mode.NA))
    return found


def _area(b: Body, args: list[Argument]) -> Operand:
    """Memory with the variable arguments, a word each, and copies as they are; only this thread ever sees it."""
    if any(a.type == WIDE or (isinstance(a.type, Float) and a.type.size > 8) for a in args):
        raise Unsupported("a 128-bit integer or a long double as a variable argument")
    area = b.fresh("varargs")
    places: list[int] = []
    end = 0
    for a in args:
        align = max(_WORD, a.align) if a.byval is not None else _WORD
        places.append(-(-end // align) * align)
        size = a.byval.size if a.byval is not None else _WORD * len(a.values)
        end = places[-1] + -(-size // _WORD) * _WORD
    b.emit(ins.Alloca(area, Const(max(_WORD, end)), 16, True, "variable arguments"))
    for a, place in zip(args, places, strict=True):
        if a.byval is not None:
            copy_memory(b, b.add(area, place), a.values[0], a.byval)
            continue
        for k, value in enumerate(a.values):
            b.emit(ins.Store(b.add(area, place + _WORD * k), value, _WORD, ins.Mode.NA))
    return area


HANDLERS: dict[str, Callable[[Body, Inst], None]] = dict.fromkeys(("call", "tail", "musttail", "notail"), call)
