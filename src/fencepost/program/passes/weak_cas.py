"""A weak compare-exchange may fail for no reason. That is explored: the thread chooses to try or to fail, and fails for
no reason only where it could have succeeded. In a loop that only tries again after such a failure it adds nothing but
another round, and the exchange is taken as a strong one; the loop may call functions for that. Where such a round can
go wrong and does no more, a thread fails once. In every other loop, and in a function that is called again and again, a
thread fails a few times, and what comes after more failures is a bound of the verdict. A loop that seems to count its
few rounds is given as many failures: then that bound is not met. (If it has more rounds than it seems, it is.)"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from fencepost.program.condition import FinalRegister
from fencepost.program.instructions import (
    COMPARISONS,
    Assume,
    Branch,
    Call,
    Cas,
    Choose,
    Compute,
    ErrorKind,
    Fail,
    Instruction,
    Jump,
    Load,
    Mode,
    Op,
    Spawn,
    Store,
    ThreadLocalAddress,
)
from fencepost.program.operands import Const, FunctionAddress, Operand, Reg
from fencepost.program.passes.flat import Flattener, in_loops
from fencepost.program.passes.flow import Flow, Loop
from fencepost.program.passes.fresh import Escapes
from fencepost.program.passes.privacy import escaping
from fencepost.program.passes.retry import Round, failed_round
from fencepost.program.passes.rewrite import Registers, expand, inside, map_functions, retarget, used
from fencepost.program.program import Function, Object, Program
from fencepost.records import replace

#: How often a thread fails for no reason where that may happen again and again.
FAILURES = 2
_MOST = 8  # failures of loops that count their rounds
_COUNT = "failures for no reason"  # the object where a thread counts them
_ONCE = "a failure for no reason"  # the object where a thread notes one that is enough
_STRONG = "'strong"  # ends the names of the functions that are made here, without a weak exchange
_SELDOM = "'seldom"  # or with those that fail at most once in a thread
_BUDGET_AT = 7  # where the budget stands among what replaces an exchange


def let_weak_cas_fail(program: Program, *, races: bool = False) -> Program:
    """The same program where there is no such exchange. `races`: a data race is an error."""
    if not any(_is_weak(i) for f in program.functions for i in f.code):
        return program
    program = _strengthen(program, races)
    again = _called_again(program)
    counted = False

    def change(f: Function) -> Function:
        nonlocal counted
        changed, counts = _let_fail(f, f.name in again)
        counted |= counts
        return changed

    changed = map_functions(program, change)
    return _with_object(changed, _COUNT) if counted else changed


def _with_object(program: Program, name: str) -> Program:
    """The program with a number of this name for each thread."""
    if any(o.name == name for o in program.objects):
        return program
    return replace(program, objects=(*program.objects, Object(name, 8, thread_local=True)))


def _is_weak(i: Instruction) -> bool:
    return isinstance(i, Cas) and i.weak


def _let_fail(function: Function, again: bool) -> tuple[Function, bool]:
    """`again`: one execution may call it any number of times. Then, and in loops, failures are counted."""
    if not any(map(_is_weak, function.code)):
        return function, False
    looped = in_loops(function)
    often = {id(i): FAILURES for n, i in enumerate(function.code) if _is_weak(i) and (again or n in looped)}
    counted = {} if again else _counted(function, looped)
    often |= dict.fromkeys(counted, sum(counted.values()) if sum(counted.values()) <= _MOST else FAILURES)

    def alternatives(i: Instruction, registers: Registers) -> Sequence[Instruction]:
        if not isinstance(i, Cas) or not i.weak:
            return (i,)
        return _alternatives(i, registers, _budget(i, registers, often[id(i)]) if id(i) in often else [])

    return expand(function, alternatives), bool(often)


def _counted(function: Function, looped: frozenset[int] | set[int]) -> dict[int, int]:
    """The exchanges in loops that seem to count their rounds, by identity, and how many rounds they may be in."""
    found: dict[int, int] = {}
    flow = Flow(function)
    loops = flow.loops()
    for n, i in enumerate(function.code):
        if _is_weak(i) and n in looped:
            around = [_rounds_counted(flow, loop) for loop in loops if flow.block_of(n) in loop.blocks]
            if around and all(around):
                found[id(i)] = prod(around)
    return found


def _is_one_of(operand: Operand, registers: set[int]) -> bool:
    return isinstance(operand, Reg) and operand.index in registers


def _rounds_counted(flow: Flow, loop: Loop) -> int:
    """The largest number that a counter of the loop begins with or is compared with; 0 where it seems to have none."""
    code = [i for b in loop.blocks for i in flow.function.code[flow.blocks[b].first : flow.blocks[b].last + 1]]
    computed = [i for i in code if isinstance(i, Compute)]
    counters = {i.dst.index for i in computed if i.op in (Op.ADD, Op.SUB) and isinstance(i.args[-1], Const)}
    counters |= {i.dst.index for i in computed if len(i.args) == 1 and _is_one_of(i.args[0], counters)}
    tests = [i for i in computed if i.op in COMPARISONS and _is_one_of(i.args[0], counters)]
    if not tests:
        return 0
    begins = [i for i in flow.function.code if isinstance(i, Compute) and i.op is Op.MOV and i.dst.index in counters]
    numbers = [a.value for i in (*tests, *begins) for a in i.args if isinstance(a, Const)]
    return max((n for n in numbers if 0 < n <= _MOST), default=0)


# --- loops that only try again


def _strengthen(program: Program, races: bool) -> Program:
    """The program with those exchanges strong that stand in a loop that only tries again. Those after whose failure the
    round can only go wrong fail at most once in a thread. Where the loop calls a function for that, it gets one of its
    own, with such exchanges."""
    weak = _reaching_weak(program)
    flattener = Flattener(program)
    observed, escapes = _observed(program), escaping(program)
    wanted: dict[str, set[str]] = {_STRONG: set(), _SELDOM: set()}
    noted = False

    def change(f: Function) -> Function:
        nonlocal noted
        rounds = _rounds(f, flattener, weak, observed[f.name], races, escapes)
        ends = {Round.NOTHING: _STRONG, Round.NOTHING_NEW: _SELDOM}
        chosen = {at: ends[found] for at, found in rounds.items() if found in ends}
        for at, end in chosen.items():
            wanted[end] |= _callee(f.code[at]) & weak
        noted |= _SELDOM in chosen.values()
        return _changed(f, weak, chosen)

    changed = map_functions(program, change)
    changed = _with_object(changed, _ONCE) if noted else changed
    copies = [f for end, names in wanted.items() for f in _copies(program, names, weak, end)]
    return _used_ones(replace(changed, functions=(*changed.functions, *copies)), weak)


def _rounds(
    f: Function, flattener: Flattener, weak: frozenset[str], observed: int, races: bool, escapes: Escapes
) -> dict[int, Round]:
    """For the exchanges in loops of this function, and for the calls there that come to one: the worst round after a
    failure for no reason."""
    worst = {n: Round.NOTHING for n in in_loops(f) if _is_weak(f.code[n]) or _callee(f.code[n]) & weak}
    if not worst:
        return worst
    flat = flattener.loops_of(f)
    flow = Flow(flat.function)
    loops, live = flow.loops(), flow.live()
    for n, i in enumerate(flat.function.code):
        at = flat.came_from[n]
        if at not in worst or not (_is_weak(i) or _callee(i) & weak):
            continue
        around = next((loop for loop in loops if flow.block_of(n) in loop.blocks), None)  # the innermost
        found = Round.MORE
        if around is not None and _is_weak(i):
            found = failed_round(flow, around, n, live[around.header] | observed, races=races, escapes=escapes)
        worst[at] = max(worst[at], found, key=list(Round).index)
    return worst


def _changed(f: Function, weak: frozenset[str], chosen: dict[int, str]) -> Function:
    """The function with other exchanges, and calls of other functions, at these places."""
    code = tuple(_strong(i, weak, chosen[at]) if at in chosen else i for at, i in enumerate(f.code))
    once = {id(i) for at, i in enumerate(code) if at in chosen and _is_weak(i)}
    return expand(replace(f, code=code), lambda i, registers: _at_most_once(i, registers) if id(i) in once else (i,))


def _strong(i: Instruction, weak: frozenset[str], end: str) -> Instruction:
    if isinstance(i, Cas) and end == _STRONG:
        return replace(i, weak=False)
    if isinstance(i, Call) and isinstance(i.callee, FunctionAddress) and i.callee.name in weak:
        return replace(i, callee=FunctionAddress(i.callee.name + end))
    return i


def _copies(program: Program, wanted: set[str], weak: frozenset[str], end: str) -> list[Function]:
    """A copy of each wanted function, and of those that it calls, with other exchanges."""
    found: dict[str, Function] = {}
    todo = sorted(wanted)
    while todo:
        f = program.function(todo.pop())
        if f.name not in found:
            every = {at: end for at, i in enumerate(f.code) if _is_weak(i) or _callee(i) & weak}
            found[f.name] = replace(_changed(f, weak, every), name=f.name + end)
            todo += [n for i in f.code for n in _callee(i) & weak]
    return list(found.values())


def _used_ones(program: Program, weak: frozenset[str]) -> Program:
    """The program without those of the functions `weak` that nobody names any more."""
    while True:
        named = {o.name for f in program.functions for i in f.code for o in used(i) if isinstance(o, FunctionAddress)}
        named |= {t.function for t in program.threads} | _in_objects(program)
        kept = tuple(f for f in program.functions if f.name in named or f.name not in weak)
        if len(kept) == len(program.functions):
            return program
        program = replace(program, functions=kept)


def _in_objects(program: Program) -> set[str]:
    """Functions whose address an object holds from the start."""
    return {i.value.name for o in program.objects for i in o.init if isinstance(i.value, FunctionAddress)}


def _reaching_weak(program: Program) -> frozenset[str]:
    """The functions that have such an exchange or call, by name, one that has."""
    found = {f.name for f in program.functions if any(map(_is_weak, f.code))}
    while True:
        new = {f.name for f in program.functions if any(_callee(i) & found for i in f.code)} - found
        if not new:
            return frozenset(found)
        found |= new


def _callee(i: Instruction) -> frozenset[str]:
    """Whom an instruction calls by name."""
    direct = isinstance(i, Call) and isinstance(i.callee, FunctionAddress)
    return frozenset({i.callee.name}) if direct else frozenset()  # type: ignore[attr-defined]


def _observed(program: Program) -> dict[str, int]:
    """The registers of each function that somebody looks at when it has ended, as bits."""
    threads = {t.name: t.function for t in program.threads}
    finals = [o.what for o in program.observations if isinstance(o.what, FinalRegister)]
    seen = {(threads[w.thread], w.register) for w in finals}
    return {
        f.name: sum(1 << n for n, name in enumerate(f.registers) if (f.name, name) in seen) for f in program.functions
    }


# --- failures


def _alternatives(i: Cas, registers: Registers, budget: list[Instruction]) -> Sequence[Instruction]:
    fails, same = registers.fresh("fails"), registers.fresh("same")
    old = i.old if i.old is not None else registers.fresh("old")
    given = [Compute(i.success, (Const(0),), Op.MOV, at=i.at)] if i.success is not None else []
    end = inside(_BUDGET_AT + len(budget) + len(given))
    return (
        Choose(fails, Const(0), Const(1), at=i.at),  # to try comes first: stories are simpler without failures
        Branch(fails, inside(4), inside(2), at=i.at),
        replace(i, weak=False),
        Jump(end, at=i.at),
        Load(old, i.address, i.size, i.failure, at=i.at),
        Compute(same, (old, i.expected), Op.EQ, at=i.at),
        Assume(same, at=i.at),
        *budget,
        *given,
    )


def _at_most_once(i: Instruction, registers: Registers) -> Sequence[Instruction]:
    """A thread that failed once for no reason at such a place does not again."""
    assert isinstance(i, Cas), i
    where, done = registers.fresh("where"), registers.fresh("done")
    noted: list[Instruction] = [Store(where, Const(1), mode=Mode.NA, at=i.at)]
    choice = _alternatives(i, registers, noted)
    first: list[Instruction] = [ThreadLocalAddress(where, _ONCE, at=i.at), Load(done, where, mode=Mode.NA, at=i.at)]
    first.append(Branch(done, inside(len(first) + 3), inside(len(first) + 1), at=i.at))
    return [*first, *(retarget(c, lambda target: target - len(first)) for c in choice)]  # further inside


def _budget(i: Cas, registers: Registers, most: int) -> list[Instruction]:
    """Counts the failures of a thread."""
    where, count, more = registers.fresh("count"), registers.fresh("failures"), registers.fresh("more")
    what = f"within {most} failures for no reason of the weak compare-exchange" + (f" at {i.at}" if i.at else "")
    code: list[Instruction] = [
        ThreadLocalAddress(where, _COUNT, at=i.at),
        Load(count, where, mode=Mode.NA, at=i.at),
        Compute(count, (count, Const(1)), Op.ADD, at=i.at),
        Store(where, count, mode=Mode.NA, at=i.at),
        Compute(more, (count, Const(most)), Op.UGT, at=i.at),
    ]
    fails = _BUDGET_AT + len(code) + 1
    return [*code, Branch(more, inside(fails), inside(fails + 1), at=i.at), Fail(ErrorKind.LOOP_BOUND, what, at=i.at)]


def _called_again(program: Program) -> frozenset[str]:
    """Functions that some loop, or a recursion, may call again and again. Who calls through a pointer may call any
    function whose address is taken other than to start a thread."""
    inner: dict[str, set[str]] = {f.name: set() for f in program.functions}
    found: set[str] = set()
    pointed = {name for f in program.functions for name in _addresses(f)} | _in_objects(program)
    for f in program.functions:
        loops = in_loops(f)
        for at, i in enumerate(f.code):
            if isinstance(i, Call):
                callees = {i.callee.name} if isinstance(i.callee, FunctionAddress) else pointed
                inner[f.name] |= callees
                found |= callees if at in loops else set()
    todo = [*found, *(name for name in inner if _reaches(name, inner))]
    found.update(todo)
    while todo:
        fresh = inner.get(todo.pop(), set()) - found
        found |= fresh
        todo += fresh
    return frozenset(found)


def _addresses(function: Function) -> Iterator[str]:
    """Functions whose address somebody may keep."""
    for i in function.code:
        direct = (i.callee,) if isinstance(i, Call) else (i.function,) if isinstance(i, Spawn) else ()
        yield from (o.name for o in used(i) if isinstance(o, FunctionAddress) and o not in direct)


def _reaches(name: str, inner: dict[str, set[str]]) -> bool:
    """Whether a function can call itself."""
    seen: set[str] = set()
    todo = list(inner[name])
    while todo:
        other = todo.pop()
        if other not in seen:
            seen.add(other)
            todo += inner.get(other, ())
    return name in seen
