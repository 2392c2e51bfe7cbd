"""The plain machine on single threads: what it computes, what it asks, which dependencies it sees."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from fencepost.frontends.pseudo import read
from fencepost.program.instructions import ErrorKind
from fencepost.program.interpret import Action, Kind, Machine, Part
from fencepost.program.operands import to_signed


@dataclass
class Run:
    """A thread run alone, on a memory of its own; event numbers are positions in `actions`."""

    actions: list[Action] = field(default_factory=list)
    registers: dict[str, int] = field(default_factory=dict)
    end: Action | None = None


def run(body: str, declarations: str = "var x, y, a[4] = [10, 11, 12, 13]", choice: int = 0) -> Run:
    program = read(f"{declarations}\nthread P {{\n{body}\n}}", "test.fp")
    machine, done = Machine(program), Run()
    state, memory = machine.start(0), {}
    while True:
        action = machine.run(state)
        assert machine.run(state) is action, "asking again should give the same action"
        if action.kind in (Kind.END, Kind.BLOCK, Kind.ERROR):
            done.end = action
            break
        value = 0
        if action.kind is Kind.READ:
            value = memory.get(action.address, machine.initial(action.address, action.size))
            if not machine.satisfied(state, value):
                done.end = action
                break
        elif action.kind is Kind.WRITE:
            memory[action.address] = action.value
            value = 1
        elif action.kind is Kind.CHOOSE:
            value = action.value + choice
        done.actions.append(action)
        machine.reply(state, value, len(done.actions) - 1)
    names = program.function("P").registers
    done.registers = {n: to_signed(v) for n, v in zip(names, state.frames[0].values, strict=True)}
    return done


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3 - 4 / 2", 5), ("-7 / 2", -3), ("-7 % 2", -1), ("1 << 3 | 1", 9), ("-16 >> 2", -4), ("~0", -1),
        ("!5", 0), ("3 & 1 == 1", 1), ("1 < 2 && 2 < 1", 0), ("0 || 7", 1), ("9223372036854775807 + 1", -(2**63)),
        ("-9223372036854775808", -(2**63)), ("0xff ^ 0x0f", 0xF0), ("select(0, 1, 2)", 2), ("10 - 3 - 2", 5),
    ],
)  # fmt: skip
def test_expressions_of_constants_and_of_registers_agree(expression: str, value: int) -> None:
    assert run(f"r := {expression}").registers["r"] == value
    import re

    numbers = list(dict.fromkeys(re.findall(r"(?<![\w])(?:0x[0-9a-f]+|\d+)", expression)))
    if "9223372036854775808" not in numbers:
        setup = "\n".join(f"v{i} := {n}" for i, n in enumerate(numbers))
        for i, n in enumerate(numbers):
            expression = re.sub(rf"(?<!\w){n}(?!\w)", f"v{i}", expression)
        assert run(f"{setup}\nr := {expression}").registers["r"] == value


@pytest.mark.parametrize(
    ("body", "register", "value"),
    [
        ("for i in 1..4 { s := s + i }", "s", 10),
        ("for i in 3..2 { s := 1 }", "s", 0),
        ("while r < 5 { r := r + 1; if r == 3 { break } }", "r", 3),
        ("for i in 1..5 { if i % 2 { continue }; s := s + i }", "s", 6),
        ("L: r := r + 1\nif r < 7 goto L", "r", 7),
        ("r := 2; if r == 1 { s := 1 } else if r == 2 { s := 2 } else { s := 3 }", "s", 2),
        ("x := 5; r := FADD(x, 3); s := x", "s", 8),
        ("x := 5; r := FADD(x, 3); s := x", "r", 5),
        ("r := XCHG(x, 9); s := x", "s", 9),
        ("old, ok := CAS(x, 0, 4); s := x", "s", 4),
        ("old, ok := CAS(x, 1, 4); s := x + ok", "s", 0),
        ("r := LDX(x); ok := STX(x, r + 1); s := x", "s", 1),
        ("ok := STX(x, 1); s := x", "s", 0),
        ("i := 2; s := a[i] + a[3]", "s", 25),
        ("p := &a[1]; s := p[1] + [p]", "s", 23),
        ("BCAS(x, 0, 6); s := x", "s", 6),
        ("s := wait(x == 0) + 1", "s", 1),
        ("r := choose(3..9)", "r", 5),
        ("r := x == 0 && y == 0", "r", 1),
    ],
)
def test_programs(body: str, register: str, value: int) -> None:
    done = run(body, choice=2)
    assert done.end is not None and done.end.kind is Kind.END
    assert done.registers[register] == value


def test_calls_and_recursion() -> None:
    functions = "var x\nfn fact(n) { if n <= 1 { return 1 }; return n * fact(n - 1) }"
    assert run("r := fact(10)", functions).registers["r"] == 3628800


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("z := 0; r := 1 / z", ErrorKind.DIVISION),
        ("assert(x == 1)", ErrorKind.ASSERTION),
        ("r := [0]", ErrorKind.NULL),
        ("i := 4; r := a[i]", ErrorKind.OUT_OF_BOUNDS),
        ("r := [&x + 4]", ErrorKind.OUT_OF_BOUNDS),
        ("r := [&a + 4]", ErrorKind.MISALIGNED),
        ("fail()", ErrorKind.ASSERTION),
        ("while 1 { }", ErrorKind.STEP_BOUND),
    ],
)
def test_errors_have_a_kind_and_a_place(body: str, kind: ErrorKind) -> None:
    end = run(body).end
    assert end is not None and (end.kind, end.error) == (Kind.ERROR, kind)
    assert end.at is not None and end.at.file == "test.fp" and end.at.line == 3 and end.message


@pytest.mark.parametrize("body", ["assume(x == 1)", "r := choose(1..x)"])
def test_blocking(body: str) -> None:
    end = run(body).end
    assert end is not None and end.kind is Kind.BLOCK


@pytest.mark.parametrize(("body", "part"), [("wait(x == 1)", Part.AWAIT), ("BCAS(x, 1, 2)", Part.BLOCKING_CAS)])
def test_a_wait_that_nobody_serves(body: str, part: Part) -> None:
    end = run(body).end
    assert end is not None and (end.kind, end.part) == (Kind.READ, part)


@pytest.mark.parametrize(
    ("body", "kind", "deps"),
    [
        ("r := x; y := r", "data", {0}),
        ("r := x; y := r ^ r", "data", {0}),
        ("r := x; s := y; y := r + s", "data", {0, 1}),
        ("r := x; r := 1; y := r", "data", set()),
        ("r := x; a[r & 3] := 1", "address", {0}),
        ("r := x; s := a[r & 3]", "address", {0}),
        ("r := x; if r == 0 { y := 1 }", "control", {0}),
        ("r := x; if r == 0 { skip }; y := 1", "control", {0}),
        ("r := x; y := 1", "control", set()),
        ("r := x; s := r == 0 && r < 5; y := 1", "control", set()),
        ("s := x == 0 && y == 0; y := 1", "control", {0}),
        ("r := FADD(x, 1); y := r", "data", {0}),
        ("wait(x == 0); y := 1", "control", {0}),
        ("assume(x == 0); y := 1", "control", {0}),
    ],
)
def test_dependencies_are_what_was_written(body: str, kind: str, deps: set[int]) -> None:
    last = run(body).actions[-1]
    assert getattr(last, f"{kind}_deps") == deps


@pytest.mark.parametrize(
    ("body", "actions"),
    [
        ("r := x", ["read"]),
        ("x := y + 1", ["read", "write"]),
        ("r := CAS(x, 1, 2)", ["read"]),
        ("r := CAS(x, 0, 2)", ["read", "write"]),
        ("sync; fence.sc", ["fence", "fence"]),
        ("atomic { x := 1 }", ["atomic_begin", "write", "atomic_end"]),
        ("r := x == 1 && y == 1", ["read"]),
        ("r := x == 0 || y == 1", ["read"]),
        ("_ := x", ["read"]),
        ("r := a[x]", ["read", "read"]),
    ],
)
def test_events_are_what_was_written(body: str, actions: list[str]) -> None:
    assert [action.kind.value for action in run(body).actions] == actions


def test_a_clone_goes_its_own_way() -> None:
    machine = Machine(read("var x\nthread P { r := x; s := r + 1 }", "test.fp"))
    one = machine.start(0)
    machine.run(one)
    other = one.clone()
    machine.reply(one, 5, 0)
    machine.reply(other, 7, 0)
    machine.run(one), machine.run(other)
    assert (one.final[:2], other.final[:2]) == ((5, 6), (7, 8))


def test_a_limit_of_instructions_is_one_between_two_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fencepost.program.interpret.MAX_STEPS", 50)
    found = run("for i in 1..100 { x := i }")
    assert len(found.actions) == 100 and found.end is not None and found.end.kind is Kind.END
    found = run("x := 1; for i in 1..100 { r := i }")
    assert found.end is not None and found.end.error is ErrorKind.STEP_BOUND
