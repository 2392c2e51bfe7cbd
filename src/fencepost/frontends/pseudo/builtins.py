"""The operations that look like calls: read-modify-writes, waiting, properties, choice, locks, dynamic memory.

VALUES give a result, into the register they are handed (None: nobody wants it); ACTIONS give none.
"""

from __future__ import annotations

from collections.abc import Callable

from fencepost.frontends.pseudo import syntax as s
from fencepost.frontends.pseudo.expressions import LOAD_MODES, STORE_MODES, UPDATE_MODES, Expressions, Lowering
from fencepost.frontends.pseudo.scope import OPERATORS, mistake
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind, Mode, Op, RmwOp, SyncOp
from fencepost.program.operands import Const, GlobalAddress, Operand, Reg

_AFTER_FAILURE = {Mode.REL: Mode.RLX, Mode.ACQ_REL: Mode.ACQ}


def _arguments(e: s.Call, shape: str, least: int, most: int | None = None) -> None:
    if not least <= len(e.args) <= (most or least):
        raise mistake(f"{e.name} got {len(e.args)} argument(s)", e.at, expected=shape)


def _memory(argument: s.Argument, shape: str) -> s.Access:
    """The place of shared memory that an operation works on."""
    if not isinstance(argument, s.Access):
        raise mistake("this must be a place in shared memory", argument.at, expected=shape)
    return argument


def _update(op: RmwOp) -> Lowering:
    def lower(within: Expressions, e: s.Call, dst: Reg | None) -> None:
        shape = f"{e.name}(place, value)"
        _arguments(e, shape, 2)
        address, mode = _target(within, e, shape)
        value = within.value(within.expression(e.args[1]))
        within.code.emit(ins.Rmw(dst, address, value, op, mode=mode, at=e.at))

    return lower


def _target(within: Expressions, e: s.Call, shape: str) -> tuple[Operand, Mode]:
    return within.access(_memory(e.args[0], shape), UPDATE_MODES, f"a {e.name}")


def compare_exchange(within: Expressions, e: s.Call, old: Reg | None, success: Reg | None) -> None:
    """CAS and WCAS, with the value read into `old` and 1 or 0 into `success`."""
    shape = f"{e.name}(place, expected, desired) or {e.name}(place, expected, desired, mode of failure)"
    _arguments(e, shape, 3, 4)
    address, mode = _target(within, e, shape)
    expected, desired = (within.value(within.expression(a)) for a in e.args[1:3])
    failure = _failure(e.args[3]) if len(e.args) == 4 else _AFTER_FAILURE.get(mode, mode)
    weak = e.name == "WCAS"
    within.code.emit(ins.Cas(old, success, address, expected, desired, mode=mode, failure=failure, weak=weak, at=e.at))


def _failure(argument: s.Argument) -> Mode:
    match argument:
        case s.Access(place=s.Name(name="rlx" | "acq" | "sc" as name), mode=None):
            return Mode(name)
    raise mistake("this is not the mode of a CAS that fails", argument.at, expected="rlx, acq or sc")


def _cas(within: Expressions, e: s.Call, dst: Reg | None) -> None:
    compare_exchange(within, e, dst, None)


def _blocking_cas(within: Expressions, e: s.Call) -> None:
    shape = "BCAS(place, expected, desired)"
    _arguments(e, shape, 3)
    address, mode = _target(within, e, shape)
    expected, desired = (within.value(within.expression(a)) for a in e.args[1:3])
    within.code.emit(ins.BlockingCas(address, expected, desired, mode=mode, at=e.at))


def _load_exclusive(within: Expressions, e: s.Call, dst: Reg | None) -> None:
    _arguments(e, "LDX(place)", 1)
    address, mode = within.access(_memory(e.args[0], "LDX(place)"), LOAD_MODES[1:], "an LDX")
    within.code.emit(ins.Load(within.result(dst), address, mode=mode, exclusive=True, at=e.at))


def _store_exclusive(within: Expressions, e: s.Call, dst: Reg | None) -> None:
    _arguments(e, "STX(place, value)", 2)
    address, mode = within.access(_memory(e.args[0], "STX(place, value)"), STORE_MODES[1:], "an STX")
    value = within.value(within.expression(e.args[1]))
    within.code.emit(ins.StoreConditional(within.result(dst), address, value, mode=mode, at=e.at))


def _await(within: Expressions, e: s.Call, dst: Reg | None) -> None:
    shape = "wait(place == value) or wait((place & mask) == value), with any comparison"
    _arguments(e, shape, 1)
    condition = e.args[0]
    if not isinstance(condition, s.Binary) or OPERATORS.get(condition.op) not in ins.COMPARISONS:
        raise mistake("wait needs a comparison of one place in shared memory", condition.at, expected=shape)
    left, mask = condition.left, None
    if isinstance(condition.left, s.Binary) and condition.left.op == "&":
        left, mask = condition.left.left, condition.left.right
    address, mode = within.access(_memory(left, shape), LOAD_MODES[1:], "a wait")
    masked = None if mask is None else within.value(mask)
    operand = within.value(condition.right)
    within.code.emit(ins.Await(dst, address, operand, masked, OPERATORS[condition.op], mode=mode, at=e.at))


def _choose(within: Expressions, e: s.Call, dst: Reg | None) -> None:
    _arguments(e, "choose(low..high)", 1)
    span = e.args[0]
    if not isinstance(span, s.Range):
        raise mistake("choose needs a range", span.at, expected="choose(low..high)")
    low, high = within.value(span.low), within.value(span.high)
    if isinstance(low, Const) and isinstance(high, Const) and low.value > high.value:
        raise mistake(f"nothing can be chosen from {low.value}..{high.value}", span.at)
    within.code.emit(ins.Choose(within.result(dst), low, high, at=e.at))


def _select(within: Expressions, e: s.Call, dst: Reg | None) -> None:
    _arguments(e, "select(condition, value, otherwise)", 3)
    condition, then, otherwise = (within.value(within.expression(a)) for a in e.args)
    within.compute(Op.SELECT, (condition, then, otherwise), e.at, dst)


def _mutex(within: Expressions, e: s.Call) -> Operand:
    shape = f"{e.name}(m), where m is declared with 'mutex m' or is the address of a mutex"
    _arguments(e, shape, 1)
    argument = e.args[0]
    if isinstance(argument, s.Access) and isinstance(argument.place, s.Name):
        variable = within.scope.variables.get(argument.place.name)
        if variable is not None and variable.kind != "mutex":
            raise mistake(f"{variable.name} is not a mutex", argument.at, expected=shape)
        if variable is not None:
            return GlobalAddress(variable.name)
    return within.value(within.expression(argument))


def _synchronise(op: SyncOp) -> Callable[[Expressions, s.Call], None]:
    def lower(within: Expressions, e: s.Call) -> None:
        within.code.emit(ins.Sync(None, (_mutex(within, e),), op, at=e.at))

    return lower


def _trylock(within: Expressions, e: s.Call, dst: Reg | None) -> None:
    mutex, error = _mutex(within, e), within.code.temporary()
    within.code.emit(ins.Sync(error, (mutex,), SyncOp.MUTEX_TRYLOCK, at=e.at))
    within.compute(Op.EQ, (error, Const(0)), e.at, dst)


def _assume(within: Expressions, e: s.Call) -> None:
    _arguments(e, "assume(condition)", 1)
    within.code.emit(ins.Assume(within.value(within.expression(e.args[0])), at=e.at))


def _assert(within: Expressions, e: s.Call) -> None:
    _arguments(e, 'assert(condition) or assert(condition, "message")', 1, 2)
    message = _message(e.args[1]) if len(e.args) == 2 else ""
    within.code.emit(ins.Assert(within.value(within.expression(e.args[0])), message, at=e.at))


def _fail(within: Expressions, e: s.Call) -> None:
    _arguments(e, 'fail() or fail("message")', 0, 1)
    message = _message(e.args[0]) if e.args else "fail() is reached"
    within.code.emit(ins.Fail(ErrorKind.ASSERTION, message, at=e.at))


def _message(argument: s.Argument) -> str:
    if not isinstance(argument, s.Text):
        raise mistake("the message must be a text", argument.at, expected='"..."')
    return argument.text


def _malloc(within: Expressions, e: s.Call, dst: Reg | None) -> None:
    _arguments(e, "malloc(bytes)", 1)
    within.code.emit(ins.Malloc(within.result(dst), within.value(within.expression(e.args[0])), at=e.at))


def _free(within: Expressions, e: s.Call) -> None:
    _arguments(e, "free(address)", 1)
    within.code.emit(ins.Free(within.value(within.expression(e.args[0])), at=e.at))


def _join(within: Expressions, e: s.Call, dst: Reg | None) -> None:
    _arguments(e, "join(thread)", 1)
    within.code.emit(ins.Join(dst, within.value(within.expression(e.args[0])), at=e.at))


UPDATES = {
    "FADD": RmwOp.ADD, "FSUB": RmwOp.SUB, "FAND": RmwOp.AND, "FOR": RmwOp.OR, "FXOR": RmwOp.XOR, "FNAND": RmwOp.NAND,
    "FMAX": RmwOp.MAX, "FMIN": RmwOp.MIN, "XCHG": RmwOp.XCHG,
}  # fmt: skip
VALUES: dict[str, Lowering] = {
    **{name: _update(op) for name, op in UPDATES.items()},
    "CAS": _cas, "WCAS": _cas, "LDX": _load_exclusive, "STX": _store_exclusive, "wait": _await,
    "choose": _choose, "select": _select, "trylock": _trylock, "malloc": _malloc, "join": _join,
}  # fmt: skip
ACTIONS: dict[str, Callable[[Expressions, s.Call], None]] = {
    "BCAS": _blocking_cas, "assume": _assume, "assert": _assert, "fail": _fail, "free": _free,
    "lock": _synchronise(SyncOp.MUTEX_LOCK), "unlock": _synchronise(SyncOp.MUTEX_UNLOCK),
}  # fmt: skip
NAMES = frozenset(VALUES) | frozenset(ACTIONS)
