"""Attempts in vain that take back what they added are left out where nobody made use of them, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

import fencepost
from fencepost.explore import explore, outcomes
from fencepost.frontends.pseudo import read
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer, Verdict

_RWLOCK = Path(__file__).parents[2] / "benchmarks" / "loops" / "linuxrwlocks_both.c"

#: $v is a value, $a and $b are locations.
ATTEMPTS = (
    "k := FADD($a, -$v); while k < $v { FADD($a, $v); wait($a >= $v); k := FADD($a, -$v) }; FADD($a, $v)",
    "k := FADD($a, -$v); while k != 2 { FADD($a, $v); wait($a == 2); k := FADD($a, -$v) }; $b := 1; FADD($a, $v)",
    "k := FADD($a, -1); while k < 1 { FADD($a, 1); wait($a > 0); k := FADD($a, -1) }; s := $b; FADD($a, 1)",
    "k := FADD($a, -1); while k < 1 { FADD($a, 1); k := FADD($a, -1) }; $b := $v",
    "k := FADD($a, 1); while k > $v { FADD($a, -1); k := FADD($a, 1) }; s := $b; FADD($a, -1)",
    "k := 1; while k { k := FADD($a, 1); if k { FADD($a, -1); wait($a == 0) } }; $b := $v",
    "k := FADD($a, -1); while k < 1 { s := FADD($a, 1); k := FADD($a, -1) }",
    "k := FADD($a, -1); while k < 1 { FADD($a, 1); s := $b; k := FADD($a, -1) }",
    "k := FADD($a, -1); if k < 1 { FADD($a, 1); k := FADD($a, -1); if k < 1 { FADD($a, 1) } }",
)
OTHERS = (
    "FADD($a, 1)", "FADD($a, -1)", "FADD($a, $v); $b := 1", "r := $a", "r := FADD($a, 0)", "$a := $v", "$a := 0",
    "_, r := CAS($a, 1, 2)", "wait($a == 0)", "wait($a >= 1)", "r := XCHG($a, 1)", "r := FADD($a, 1)",
    "$b := 1; FADD($a, 1)", "r := $a; s := $b; assert(r <= s + 1)", "r := FADD($a, -1); assert(r != -1)",
)  # fmt: skip


def attempts_program(seed: int, *, observed: bool = True) -> str:
    random = Random(seed)

    def statement(choices: tuple[str, ...]) -> str:
        a, b = random.choice([("x", "y"), ("x", "y"), ("x", "y"), ("y", "x")])
        return random.choice(choices).replace("$a", a).replace("$b", b).replace("$v", str(random.randint(1, 2)))

    bodies = [[statement(ATTEMPTS)], [statement(ATTEMPTS if random.random() < 0.6 else OTHERS)]]
    if random.random() < 0.7:
        bodies.append([statement(OTHERS) for _ in range(random.randint(1, 2))])
    elif random.random() < 0.3:
        bodies.append([statement(ATTEMPTS)])
    for body in bodies[:2]:
        if random.random() < 0.3:
            body.insert(random.randrange(len(body) + 1), statement(OTHERS))
    random.shuffle(bodies)
    threads = "".join(f"thread P{n} {{ {'; '.join(b)} }}\n" for n, b in enumerate(bodies))
    there = [f"P{n}:{r}" for n, b in enumerate(bodies) for r in "krs" if f"{r} :=" in " ; ".join(b)]
    registers = [name for name in there if random.random() < 0.4]
    seen = f"observe {', '.join([*registers, 'x', 'y'])}\n" if observed else ""
    return f"var x = {random.choice([0, 1, 2, 2])}, y\n{threads}{seen}"


def _compared(seed: int, model: str) -> bool:
    """What is there within three tries, with nothing left out, is there; and all is as without the rule. Whether that
    could be compared."""
    text = attempts_program(seed)
    program = read(text, f"attempts-{seed}.fp")
    limits: dict[str, Any] = {"model": model, "max_executions": 4_000, "time_limit": 1}
    every = outcomes(program, model, ExploreOptions(spin_detection=False, unroll=3, **limits))
    less, more = (outcomes(program, model, ExploreOptions(shortcuts=s, **limits)) for s in (True, False))
    if less.reason:
        return False
    assert set(every.states) <= set(less.states), f"seed {seed}, {model}\n{text}"
    if more.reason:
        return False
    assert set(more.states) == set(less.states), f"seed {seed}, {model}\n{text}"
    found = [explore(program, model, CheckOptions(shortcuts=s, keep_going=True, **limits)) for s in (True, False)]
    if all(v.answer is not Answer.UNKNOWN for v in found):
        told = [{(e.kind, e.at) for e in v.errors} for v in found]
        assert told[0] == told[1], f"seed {seed}, {model}\n{text}"
    return True


@pytest.mark.parametrize("model", ["sc", "tso", "rc11"])
def test_attempts_that_are_left_out_take_nothing_with_them(model: str) -> None:
    assert sum(_compared(seed, model) for seed in range(40, 60)) >= 8


@pytest.mark.slow
@pytest.mark.parametrize("model", ["sc", "tso", "pso", "ra", "rc11", "rc11-cpp20"])
def test_nor_do_they_in_thousands_of_programs(model: str) -> None:
    assert sum(_compared(seed, model) for seed in range(10_000, 12_000)) > 800


@pytest.mark.parametrize(("threads", "symmetry", "executions"), [(2, False, 14), (2, True, 7), (3, True, 115)])
@pytest.mark.parametrize("model", ["sc", "rc11"])
def test_a_lock_whose_attempts_take_back_counts_only_those_that_succeed(
    threads: int, symmetry: bool, executions: int, model: str
) -> None:
    found = fencepost.check(_RWLOCK, model=model, flags=[f"-DN={threads}"], symmetry=symmetry, fix=False)
    assert (found.answer, found.executions, found.blocked) == (Answer.PASS, executions, 0)


@pytest.mark.parametrize(("threads", "symmetry", "executions"), [(2, False, 14), (2, True, 7), (3, True, 115)])
@pytest.mark.parametrize("model", ["sc", "rc11"])
def test_it_does_not_matter_where_the_loop_begins(threads: int, symmetry: bool, executions: int, model: str) -> None:
    """`for (;;)` around the attempt, in place of one attempt before the loop."""
    text = f"""
    var l = 10, d
    thread T(i in 1..{threads}) {{
      while 1 {{ k := FADD(l.acq, -1); if k > 0 {{ break }}; FADD(l, 1); wait(l > 0) }}
      r := d
      FADD(l.rel, 1)
      while 1 {{ k := FADD(l.acq, -10); if k == 10 {{ break }}; FADD(l, 10); wait(l == 10) }}
      d := 1
      FADD(l.rel, 10)
    }}"""
    found = _checked(text, model, symmetry=symmetry)
    assert (found.answer, found.executions, found.blocked) == (Answer.PASS, executions, 0), found.reason


def _checked(text: str, model: str, **options: Any) -> Verdict:
    return explore(read(text, "a.fp"), model, CheckOptions(model=model, fix=False, **options))


_LOCK = "k := FADD(x, -1); while k < 1 { FADD(x, 1); wait(x > 0); k := FADD(x, -1) }; y := 1"


@pytest.mark.parametrize("model", ["sc", "tso", "ra", "rc11"])
@pytest.mark.parametrize("look", ["r := FADD(x, 1)", "r := FADD(x, 0); FADD(x, 1)", "r := x; FADD(x, 1)"])
def test_who_sees_an_attempt_and_then_what_came_of_the_next_is_not_lost(look: str, model: str) -> None:
    """Q sees -1, the first attempt of P, and later that P succeeded: without the attempt there is no such execution."""
    text = f"var x, y\nthread P {{ {_LOCK} }}\nthread Q {{ {look}; wait(y == 1); assert(r != -1) }}\n"
    found = _checked(text, model)
    assert found.answer is Answer.FAIL or (found.answer is Answer.UNKNOWN and look == "r := x; FADD(x, 1)")


@pytest.mark.parametrize("model", ["sc", "tso", "ra", "rc11"])
def test_who_sees_an_attempt_without_coming_before_the_next_is_not_lost(model: str) -> None:
    """Q sees -1 and adds nothing, so nothing of it is before the next attempt of P; R is who lets that succeed."""
    look = "r := x; wait(y == 1); assert(r != -1)"
    text = f"var x, y\nthread P {{ {_LOCK} }}\nthread Q {{ {look} }}\nthread R {{ FADD(x, 1) }}\n"
    found = _checked(text, model)
    assert (found.answer, [e.kind for e in found.errors]) == (Answer.FAIL, [ErrorKind.ASSERTION]), found.reason


@pytest.mark.parametrize("model", ["sc", "rc11"])
def test_who_adds_without_looking_makes_no_use_of_an_attempt(model: str) -> None:
    text = f"var x, y\nthread P {{ {_LOCK} }}\nthread Q {{ FADD(x, 1) }}\n"
    found = _checked(text, model)
    assert (found.answer, found.executions, found.blocked) == (Answer.PASS, 1, 0)


@pytest.mark.parametrize("model", ["sc", "rc11"])
def test_an_attempt_that_fails_for_ever_is_told(model: str) -> None:
    loop = "k := FADD(x, -1); while k < 1 { FADD(x, 1); k := FADD(x, -1) }"
    found = _checked(f"var x, y\nthread P {{ {loop} }}\nthread Q {{ y := 1 }}\n", model)
    assert [e.kind for e in found.errors] == [ErrorKind.LIVENESS]


@pytest.mark.parametrize("model", ["sc", "tso", "ra", "rc11"])
def test_an_attempt_that_leaves_something_behind_is_not_left_out(model: str) -> None:
    """P adds one in vain and then Q adds one: only so does P succeed with two."""
    loop = "k := FADD(x, -1); while k < 1 { FADD(x, 2); k := FADD(x, -1) }; assert(k < 2)"
    found = _checked(f"var x\nthread P {{ {loop} }}\nthread Q {{ FADD(x, 1) }}\n", model)
    assert (found.answer, [e.kind for e in found.errors]) == (Answer.FAIL, [ErrorKind.ASSERTION])


def test_a_store_between_an_attempt_and_its_end_is_not_passed_over() -> None:
    """What is taken back is added to 5 then, and without the attempt it would not be."""
    text = (
        "var x, y\nthread P { k := FADD(x, -1); while k < 1 { FADD(x, 1); wait(x > 0); k := FADD(x, -1) } }\n"
        "thread Q { x := 5 }\nobserve x\n"
    )
    found = outcomes(read(text, "a.fp"), "sc")
    every = outcomes(read(text, "a.fp"), "sc", ExploreOptions(model="sc", spin_detection=False, unroll=4))
    assert set(every.states) <= set(found.states) and {dict(s)["x"] for s in found.states} == {4, 5}


#: Who knows that a loop is over may still see what it had put there, where old values may be read.
_LATE = {
    "the value that ends a wait is used": """
        var x = 1, done
        thread T0 { FADD(x, -1) }
        thread T1 { while FADD(x, 2) & 1 { FADD(x, -2) }; done := 1 }
        thread T2 { while done == 0 { }; r := x; while r == 99 { r := x }; assert(r != 3) }""",
    "the value that ends a wait is used, and any ends it": """
        var c, x, done
        thread T0 { c := 1 }
        thread T1 { while c == 0 { FADD(x, 2); FADD(x, -2) }; done := 1 }
        thread T2 { while done == 0 { }; while 1 { r := x; if r != 99 { break } }; assert(r != 2) }""",
    "others add in between": """
        var x, y, done
        thread T0 { FADD(x, 10) }
        thread T1 { while FADD(x.rel, 1) == 0 { FADD(x.rel, -1) }; done := 1; y := 1; x.rel := 50 }
        thread T2 {
          while done == 0 { }
          while x.acq < 11 { }
          while x.acq == 11 { }
          s := y
          assert(s == 1)
        }""",
    "others add in between, and then the next attempt succeeds": """
        var x, y, done
        thread T0 { FADD(x, 10) }
        thread T1 {
          k := FADD(x.rel, 1)
          while k == 0 { FADD(x.rel, -1); k := FADD(x.rel, 1) }
          done := 1; y := 1; x.rel := 50
        }
        thread T2 { wait(done == 1); wait(x.acq >= 11); wait(x.acq != 11); s := y; assert(s == 1) }""",
}


@pytest.mark.parametrize("model", ["rc11", "wrc11", "imm", "armv8", "power", "armv7", "riscv"])
@pytest.mark.parametrize("name", _LATE)
def test_what_was_there_in_between_may_be_seen_later(name: str, model: str) -> None:
    options = CheckOptions(model=model, fix=False)
    if name.startswith("others add in between") and model == "riscv":  # rel and acq are fences there, which order more
        assert explore(read(_LATE[name], "late.fp"), model, options).answer is not Answer.FAIL
        return
    found = explore(read(_LATE[name], "late.fp"), model, options)
    assert found.answer is Answer.FAIL, found.reason
    assert found.errors[0].kind is ErrorKind.ASSERTION


@pytest.mark.parametrize("name", _LATE)
def test_what_was_there_in_between_is_gone_later(name: str) -> None:
    """Where nobody reads old values."""
    for model in ("sc", "tso", "pso"):
        assert explore(read(_LATE[name], "late.fp"), model, CheckOptions(model=model)).answer is Answer.PASS, model
