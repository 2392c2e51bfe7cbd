"""One function of the IR becomes one Function."""

from __future__ import annotations

import re
from collections.abc import Callable

from fencepost.frontends.c import aggregates, arithmetic, calls, control, memory, varargs
from fencepost.frontends.c.assigned import kept_addresses, maybe_unassigned
from fencepost.frontends.c.body import Body
from fencepost.frontends.c.constants import bits_of
from fencepost.frontends.c.control import Blocks
from fencepost.frontends.c.declared import Declared
from fencepost.frontends.c.library.table import library
from fencepost.frontends.c.library.verifier import begin_atomic, is_atomic
from fencepost.frontends.c.llvm.module import BasicBlock, Inst, IrFunction, Module
from fencepost.frontends.c.llvm.tokens import Cursor, plain_name
from fencepost.frontends.c.llvm.types import Float, Int, Ptr, Type, Void, leaf_count
from fencepost.frontends.c.memory import RETVAL, source_name
from fencepost.frontends.c.site import Argument, Site
from fencepost.frontends.c.unit import Unit
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind
from fencepost.program.operands import Position
from fencepost.program.program import Function

_HANDLERS: dict[str, Callable[[Body, Inst], None]] = (
    arithmetic.HANDLERS | memory.HANDLERS | aggregates.HANDLERS | calls.HANDLERS | varargs.HANDLERS
)
LONG_DOUBLE = ("x86_fp80 ", "fp128 ")  # of one machine or another
#: `__CPROVER_ASYNC_1: f(x);` has a thread of its own do the call.
_NEW_THREAD = re.compile(r"__CPROVER_ASYNC_\d+")
_LIFETIME = ("@llvm.lifetime.start", "@llvm.lifetime.end", "@llvm.dbg.")


def translate(unit: Unit, f: IrFunction) -> Function:
    b = Body(unit, f.name, f.module.types)
    b.declared = Declared(f)
    debug = f.module.debug
    if f.module is unit.module and any(word in line for line in f.lines or () for word in LONG_DOUBLE):
        unit.notes.setdefault(f"{debug.function_position(f.dbg) or f.name}: long double is taken as double")
    for p in f.parameters:
        b.named(p.type, p.name)
        if p.byval is not None:
            b.memory_types[p.name] = p.byval
    if f.variadic:
        b.area = b.fresh("varargs")
    parameters = len(b.registers)
    if is_atomic(f.name):
        begin_atomic(b)
    found = f.blocks()
    _without_casts(found)
    _promote(b, found)
    b.kept = kept_addresses(found)
    blocks = Blocks(b, found)
    edges = {block.label: control.targets(block.instructions[-1]) for block in found}
    for name in sorted(maybe_unassigned(blocks.blocks, edges, b.variables)):
        if name != RETVAL or unit.results_used(f.name):
            b.assigned[name] = b.fresh(f"{source_name(name)} has a value")
    for block in blocks.blocks:
        blocks.start(block)
        b.new_thread |= _NEW_THREAD.fullmatch(block.label) is not None
        goes_on = True
        for i in block.instructions:
            if i.op != "phi":
                b.at = _place(f.module, i, b.at)
                if goes_on:
                    goes_on = _instruction(b, i, blocks)
                elif what := calls.unsupported(b, i):  # nobody comes here; it is listed with the rest
                    b.fail(ErrorKind.UNSUPPORTED, what)
        blocks.finish()
    b.at = None
    return b.finish(parameters, False, debug.function_position(f.dbg))


def _place(module: Module, i: Inst, last: Position | None) -> Position | None:
    """Where an instruction stands in the source; in IR that was not made for debugging, its line there."""
    if i.dbg is not None:
        return module.debug.position(i.dbg)
    return last if module.metadata else Position(module.file, i.line)


def _instruction(b: Body, i: Inst, blocks: Blocks) -> bool:
    """Translates one instruction. One that we cannot translate becomes a Fail in its place, and what follows it in the
    block is never reached."""
    try:
        if i.op in control.HANDLERS:
            control.HANDLERS[i.op](b, i, blocks)
        elif i.op in _HANDLERS:
            _HANDLERS[i.op](b, i)
        else:
            raise Unsupported(f"the instruction {i.op}")
    except Unsupported as problem:
        b.fail(ErrorKind.UNSUPPORTED, problem.what)
        return False
    return True


def translate_stub(unit: Unit, f: IrFunction) -> Function:
    """A function of the library whose address the program takes: it calls the library."""
    b = Body(unit, f.name)
    args = [Argument(p.type, b.named(p.type, p.name), p.name) for p in f.parameters]
    parameters = len(b.registers)
    handler = library().get(f.name)
    try:
        if handler is None:
            raise Unsupported(f"call to {unit.shown(f.name)}")
        found = handler(b, Site(f.name, args, f.result, None))
        values = found if isinstance(found, tuple) else (found,)
        b.emit(ins.Return(values[0] if values and not isinstance(f.result, Void) else None))
    except Unsupported as problem:
        b.fail(ErrorKind.UNSUPPORTED, problem.what)
    return b.finish(parameters, False, None)


# --- promotion of locals


def _without_casts(blocks: list[BasicBlock]) -> None:
    """Where pointers have types (clang before 15), one is cast to another to say how long a variable lives, and for
    each atomic access of a pointer. The address is the same: such casts go, so that both forms of IR come to the same
    program."""
    casts: dict[str, str] = {}
    for block in blocks:
        for i in block.instructions:
            if i.op == "bitcast" and i.result is not None and (source := _cast(i)) is not None:
                casts[i.result] = source
    if not casts:
        return
    for block in blocks:
        block.instructions[:] = [i for i in block.instructions if i.result not in casts]
        for i in block.instructions:
            i.cursor.tokens[:] = [_uncast(t, casts) for t in i.cursor.tokens]


def _cast(i: Inst) -> str | None:
    """The address that a cast from a type of pointers to another gives, where it has a name."""
    tokens = i.cursor.tokens[i.cursor.at :]
    at = tokens.index("to") if "to" in tokens else 0
    pointers = at > 1 and tokens[at - 2].endswith("*") and any(t.endswith("*") for t in tokens[at:])
    return tokens[at - 1] if pointers and tokens[at - 1][0] in "%@" else None


def _uncast(token: str, casts: dict[str, str]) -> str:
    while token[0] == "%" and (source := casts.get(plain_name(token))) is not None:
        token = source
    return token


def _tells_lifetime(i: Inst) -> bool:
    return i.op == "call" and any(t.startswith(_LIFETIME) for t in i.cursor.tokens)


def _promote(b: Body, blocks: list[BasicBlock]) -> None:
    """Local variables of one scalar whose address nobody takes become registers: every use is a plain load or store of
    the whole variable. Nothing else is optimised: a register carries dependencies as the variable did."""
    candidates = _scalars(b, blocks)
    for block in blocks:
        for i in block.instructions:
            if i.op != "alloca":
                _disqualify(b, i, candidates)
    for name in candidates:
        b.variables[name] = b.fresh(source_name(name))


def _scalars(b: Body, blocks: list[BasicBlock]) -> dict[str, int]:
    """Name and bits of every alloca that might be promoted."""
    found: dict[str, int] = {}
    for i in blocks[0].instructions if blocks else ():
        if i.op == "alloca" and i.result is not None:
            c = Cursor(i.cursor.tokens, i.cursor.file, i.cursor.at)
            type_ = b.types.parse(c)
            one = c.token in ("", ",") and c.peek() not in ("i32", "i64")
            if isinstance(type_, Int | Float | Ptr) and one and leaf_count(type_) == 1 and _bits(type_):
                found[i.result] = 8 * type_.size
    return found


def _bits(type_: Type) -> int:
    try:
        return bits_of(type_)
    except Unsupported:
        return 0


def _disqualify(b: Body, i: Inst, candidates: dict[str, int]) -> None:
    tokens = i.cursor.tokens
    uses = [k for k, t in enumerate(tokens) if t[0] == "%" and plain_name(t) in candidates]
    if not uses or _tells_lifetime(i):
        return
    last = max(k for k, t in enumerate(tokens) if t[0] == "%")
    for k in uses:
        if tokens[k - 1] == "label":
            continue
        name = plain_name(tokens[k])
        if i.op not in ("load", "store") or "atomic" in tokens[:5] or k != last or not _whole(b, i, candidates[name]):
            candidates.pop(name, None)


def _whole(b: Body, i: Inst, bits: int) -> bool:
    """Whether a load or store is of a scalar of so many bits."""
    c = Cursor(i.cursor.tokens, i.cursor.file, i.cursor.at)
    c.accept("volatile")
    type_ = b.types.parse(c)
    return isinstance(type_, Int | Float | Ptr) and 8 * type_.size == bits
