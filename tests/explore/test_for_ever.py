"""Who goes round for ever: programs whose loops store and add while they wait, judged by all their states under sc."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

import pytest

import fencepost
from fencepost.frontends.pseudo import read
from fencepost.options import CheckOptions
from fencepost.verdict import Answer, ErrorKind, Verdict

_HANGS = (ErrorKind.LIVENESS, ErrorKind.DEADLOCK)
_NAMES = "xyz"


@dataclass(frozen=True)
class Op:
    """`while` and `until`, which looks last: goes to `to` where the location is not `value`; `jump` goes to `to`."""

    kind: str
    where: int = 0
    value: int = 0
    to: int = 0


State = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]  # where threads stand, their registers, memory


def _ops(statements: list[tuple]) -> list[Op]:
    found: list[Op] = []
    for kind, where, value, *body in statements:
        if kind == "copy":
            found += [Op("look", where), Op("put", where)]
        elif kind not in ("while", "until"):
            found.append(Op(kind, where, value))
        if kind not in ("while", "until"):
            continue
        start = len(found)
        inside = [replace(o, to=o.to + start + (kind == "while")) for o in _ops(body[0])]
        looks = Op("while", where, value, start + len(inside) + 2)
        found += [looks, *inside] if kind == "while" else [*inside, looks]
        found.append(Op("jump", to=start))
    return found


def _text(statements: list[tuple]) -> str:
    forms = {
        "set": "{x} := {v}", "wait": "wait({x} == {v})", "add": "FADD({x}, {v})", "copy": "r := {x}; {x} := r",
        "look": "r := {x}", "fail": "assert(0 == 1)", "swap": "r := XCHG({x}, {v})",
        "fence": "fence.sc", "same": "_, k := CAS({x}, {v}, {v})",
        "take": "while 1 {{ _, k := CAS({x}, {v}, 0); if k {{ break }} }}",
    }  # fmt: skip
    parts = []
    for kind, where, value, *body in statements:
        if kind == "until":
            parts.append(f"while 1 {{ {_text(body[0])}; if {_NAMES[where]} != {value} {{ break }} }}")
        elif kind == "while":
            parts.append(f"while {_NAMES[where]} == {value} {{ {_text(body[0])} }}")
        else:
            parts.append(forms[kind].format(x=_NAMES[where], v=value))
    return "; ".join(parts)


def to_fp(threads: list[list[tuple]]) -> str:
    return "var x, y, z\n" + "".join(f"thread P{n} {{ {_text(t)} }}\n" for n, t in enumerate(threads))


class _Graph:
    """All states under sc, and what can go wrong."""

    def __init__(self, threads: list[list[tuple]]) -> None:
        self.code = [_ops(t) for t in threads]
        self.fails = False
        start: State = ((0,) * len(threads), (0,) * len(threads), (0, 0, 0))
        self.next: dict[State, list[tuple[int, State]]] = {}
        todo = [start]
        while todo and len(self.next) < 4_000:
            state = todo.pop()
            if state not in self.next:
                self.next[state] = list(self._steps(state))
                todo += [s for _, s in self.next[state]]
        self.whole = not todo

    def _steps(self, state: State) -> Iterator[tuple[int, State]]:
        pcs, registers, memory = state
        for t, pc in enumerate(pcs):
            if pc == len(self.code[t]) or pc < 0:
                continue
            op = self.code[t][pc]
            here, to, cells, kept = memory[op.where], pc + 1, list(memory), list(registers)
            if op.kind == "fail":
                self.fails = True
                continue
            if op.kind in ("wait", "take") and here != op.value:
                continue
            if op.kind in ("while", "jump") and (op.kind == "jump" or here != op.value):
                to = op.to
            if op.kind in ("set", "add"):
                cells[op.where] = (op.value + (here if op.kind == "add" else 0)) % 2**32
            if op.kind in ("swap", "take"):
                cells[op.where] = op.value if op.kind == "swap" else 0
            if op.kind == "put":
                cells[op.where] = registers[t]
            if op.kind == "look":
                kept[t] = here
            yield t, ((*pcs[:t], to, *pcs[t + 1 :]), tuple(kept), tuple(cells))

    def _components(self) -> Iterator[set[State]]:
        """Strongly connected ones (Tarjan, without recursion)."""
        number: dict[State, int] = {}
        low: dict[State, int] = {}
        stack: list[State] = []
        on: set[State] = set()
        for root in self.next:
            work = [(root, iter(self.next[root]))] if root not in number else []
            while work:
                state, rest = work[-1]
                if state not in number:
                    number[state] = low[state] = len(number)
                    stack.append(state)
                    on.add(state)
                for _, s in rest:
                    if s not in number:
                        work.append((s, iter(self.next[s])))
                        break
                    if s in on:
                        low[state] = min(low[state], number[s])
                else:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[state])
                    if low[state] == number[state]:
                        found: set[State] = set()
                        while state not in found:
                            found.add(stack.pop())
                        on -= found
                        yield found

    def _over(self, state: State) -> bool:
        return all(pc == len(code) for pc, code in zip(state[0], self.code, strict=True))

    def hangs(self, *, surely: bool) -> bool:
        """`surely`: there is no way out. Else: each thread moves there, or cannot now and then, or has ended."""
        for component in self._components():
            moves = {t for s in component for t, after in self.next[s] if after in component}
            if not moves and any(self.next[s] for s in component):
                continue
            if all(map(self._over, component)) or any(self._at_error(s) for s in component):
                continue
            leaves = any(after not in component for s in component for _, after in self.next[s])
            if surely and not leaves:
                return True
            if not surely and all(t in moves or self._pauses(t, component) for t in range(len(self.code))):
                return True
        return False

    def _at_error(self, state: State) -> bool:
        at = [code[pc].kind for pc, code in zip(state[0], self.code, strict=True) if pc < len(code)]
        return "fail" in at

    def _pauses(self, t: int, component: set[State]) -> bool:
        return any(all(who != t for who, _ in self.next[s]) for s in component)


def _threads(seed: int) -> list[list[tuple]]:
    """Loops that wait for x and do something to y, and threads that wait for what they leave there and end them."""
    random = Random(seed)
    stored = random.choice([1, 1, 2])

    def looping() -> list[tuple]:
        other = random.choice([stored, stored, 0, 2])
        body = random.choice([
            [("set", 1, stored)],
            [("set", 1, stored)],
            [("set", 1, other)],
            [("copy", 1, 0)],
            [("add", 1, 1), ("add", 1, -1)],
            [("set", 1, stored), ("set", 2, other)],
            [("look", 1, 0), ("set", 1, other)],
            [("set", 2, other)],
            [("swap", 1, other)],
            [("add", 2, 1), ("set", 1, stored), ("add", 2, -1)],
            [("fence", 0, 0), ("set", 1, stored)],
            [("look", 2, 0), ("same", 1, other)],
            [("add", 1, 1), ("add", 1, -1), ("set", 1, other)],
            [("swap", 1, other), ("set", 1, stored)],
            [("add", 1, 1), ("set", 2, other), ("set", 1, stored)],
            [("set", 1, other), ("add", 1, 1), ("look", 1, 0), ("add", 1, -1)],
        ])  # fmt: skip
        after = [("set", random.choice([1, 2]), random.choice([0, 1]))] if random.random() < 0.3 else []
        kind = random.choice(["while", "while", "until"])
        return [(kind, random.choice([0, 0, 0, 2]), 0, body), *after]

    def straight() -> list[tuple]:
        one = [("wait", 1, stored), ("wait", 1, stored), ("set", 1, 0), ("set", 1, 0), ("set", 1, 3 - stored),
               ("wait", 2, 1), ("add", 1, 1), ("set", 2, 1), ("while", 1, 0, [("set", 2, 1)]),
               ("take", 1, stored), ("swap", 1, 0)]  # fmt: skip
        end = [("set", 0, 1)] if random.random() < 0.8 else []
        return [*random.choices(one, k=random.randint(1, 4)), *end]

    threads = [looping(), straight()]
    if random.random() < 0.5:
        threads.append(random.choice([looping, straight])())
    if random.random() < 0.4:
        threads[1].append(("fail", 0, 0))
    random.shuffle(threads)
    return threads


def _checked(text: str, model: str, unroll: int | None = None) -> Verdict:
    options = CheckOptions(
        model=model, fix=False, max_executions=20_000, max_events=400, time_limit=2, unroll=unroll
    )  # who stores in a loop for ever is no better known after thousands of events
    return fencepost.check(read(text, "for_ever.fp"), options=options)  # runs what it found once more


def _agrees(seed: int, model: str, unroll: int | None = None) -> bool:
    """Whether the answer was one; what every execution under sc can do, one under a weaker model can."""
    threads = _threads(seed)
    graph = _Graph(threads)
    if not graph.whole:
        return False
    text = to_fp(threads)
    told = _checked(text, model, unroll)
    shown = f"seed {seed}, {model}: {told.answer} {[e.kind for e in told.errors]}\n{text}"
    if graph.fails or graph.hangs(surely=True):
        assert told.answer is not Answer.PASS, shown
    if model == "sc" and told.answer is Answer.FAIL:
        hangs = told.errors[0].kind in _HANGS
        assert graph.hangs(surely=False) if hangs else graph.fails, shown
    return told.answer in (Answer.PASS, Answer.FAIL)


@pytest.mark.parametrize("model", ["sc", "tso", "rc11"])
def test_who_goes_round_for_ever_is_told_by_all_states(model: str) -> None:
    assert sum(_agrees(seed, model) for seed in range(40)) > 20


@pytest.mark.parametrize("unroll", [1, 2, 3])
def test_bounds_of_loops_invent_nothing(unroll: int) -> None:
    assert sum(_agrees(seed, "sc", unroll) for seed in range(60, 100)) > 13


@pytest.mark.slow
@pytest.mark.parametrize("model", ["sc", "tso", "pso", "ra", "rc11", "wrc11"])
def test_so_it_is_in_many_programs(model: str) -> None:
    assert sum(_agrees(seed, model) for seed in range(1_000, 3_000)) > 1_000


_STORES = """
var x, y
thread P { while x == 0 { y := 1 } }
thread Q { wait(y == 1); y := 0; wait(y == 1); x := 1END }
"""
_MODELS = ["sc", "tso", "pso", "ra", "rc11"]


@pytest.mark.parametrize("model", _MODELS)
def test_who_waits_for_what_a_loop_stores_again_goes_on(model: str) -> None:
    assert _checked(_STORES.replace("END", "; assert(0 == 1)"), model).errors[0].kind is ErrorKind.ASSERTION
    assert _checked(_STORES.replace("END", ""), model).answer is Answer.UNKNOWN


@pytest.mark.parametrize("model", _MODELS)
@pytest.mark.parametrize("waits", ["", "thread Q { wait(y == 3); x := 1 }"])
def test_loops_that_store_different_things_go_round_for_ever(model: str, waits: str) -> None:
    text = f"var x, y\nthread P {{ while x == 0 {{ y := 1 }} }}\nthread R {{ while x == 0 {{ y := 2 }} }}\n{waits}\n"
    assert _checked(text, model).errors[0].kind is ErrorKind.LIVENESS


@pytest.mark.parametrize("model", _MODELS)
@pytest.mark.parametrize("waits", ["wait(y == 1); wait(y == 2)", "while y != 1 { z := 1 }; while y != 2 { z := 1 }"])
def test_and_who_waits_for_one_after_the_other_may_end_them(model: str, waits: str) -> None:
    text = f"""
        var x, y, z
        thread P {{ while x == 0 {{ y := 1 }} }}
        thread R {{ while x == 0 {{ y := 2 }} }}
        thread Q {{ {waits}; x := 1; assert(0 == 1) }}"""
    assert _checked(text, model).errors[0].kind is ErrorKind.ASSERTION


@pytest.mark.parametrize("model", _MODELS)
@pytest.mark.parametrize("first", ["y := 0", "fence.sc; y := 0", "fence.sc; k := y", "y := 0; y := 0"])
def test_a_round_that_does_something_else_before_it_looks_goes_round_for_ever(model: str, first: str) -> None:
    text = f"var x, y\nthread P {{ x := 1 }}\nthread Q {{ k := 1; while k {{ {first}; k := x }} }}\n"
    assert _checked(text, model).errors[0].kind is ErrorKind.LIVENESS


@pytest.mark.parametrize("model", [*_MODELS, "armv8", "power"])
@pytest.mark.parametrize("body", [
    "_, k := CAS(x, 0, 0)",
    "d := z; e, _ := CAS(x, 0, 0)",
    "d := z; _, k := CAS(x, 0, 0); if k == 0 { break }",
])  # fmt: skip
def test_an_exchange_for_the_same_value_is_no_step_on(model: str, body: str) -> None:
    text = f"var x, z\nthread P {{ while 1 == 1 {{ {body} }} }}\nthread Q {{ z := 1 }}\n"
    assert _checked(text, model).errors[0].kind is ErrorKind.LIVENESS
    ends = "thread P { while 1 == 1 { d := z; _, k := CAS(x, 0, 0); if k == 0 { break } } }"
    assert _checked(f"var x, z\n{ends}\nthread Q {{ z := 1; x := 1 }}\n", model).answer is Answer.PASS


@pytest.mark.parametrize("model", _MODELS)
def test_who_goes_round_may_stand_at_a_wait_that_is_served(model: str) -> None:
    """A failure for no reason, once; then rounds that begin and end at the inner wait."""
    loop = "while k == 0 { e, k := WCAS(x, 2, 1); if k == 0 { while y == 1 { } } }"
    text = f"var x, y\nthread P {{ {loop} }}\nthread Q {{ x := 2; c := XCHG(x, 1) }}\n"
    options = CheckOptions(model=model, fix=False, max_events=60)
    found = fencepost.check(read(text, "for_ever.fp"), options=options)
    assert found.errors[0].kind is ErrorKind.LIVENESS


@pytest.mark.parametrize("model", _MODELS)
def test_who_is_where_he_was_only_after_two_rounds_goes_round_for_ever(model: str) -> None:
    """Each round leaves i as the one before did not; every other is the same."""
    loop = "while 1 { s := x; if i < 2 { if k { k := y; y := s }; i := (i + 1) & 1 }; s := y; if s == 2 { break } }"
    text = f"var x, y\nthread P {{ local i, k, s; y := 1; _, k := CAS(y, 0, 2); {loop} }}\nthread Q {{ y := 0 }}\n"
    assert _checked(text, model).errors[0].kind is ErrorKind.LIVENESS


@pytest.mark.parametrize("model", _MODELS)
@pytest.mark.parametrize("round_", [
    "FADD(y, 1); FADD(y, 0 - 1); y := 2",
    "c := XCHG(y, 0); y := 2",
    "c := XCHG(y, 0); if c < 1 { break }; y := 1; y := 2",
])  # fmt: skip
def test_a_store_to_a_place_that_a_round_updates_goes_round_for_ever(model: str, round_: str) -> None:
    found = _checked(f"var x, y = 2\nthread P {{ while 1 {{ {round_} }} }}\nthread Q {{ x := 1 }}\n", model)
    assert found.answer is not Answer.PASS
    assert all(e.kind is ErrorKind.LIVENESS for e in found.errors)
