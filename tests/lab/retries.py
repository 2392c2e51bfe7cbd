"""Loops around weak compare-exchanges, held against the same program with each failure for no reason spelled out: a
choice, a read and an assumption. Rounds of what is spelled out are bounded, so nothing of three of them may be missing,
and what three rounds of the program itself show must be there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from random import Random

import fencepost
from fencepost.frontends.pseudo import read
from fencepost.program.instructions import ErrorKind
from fencepost.reasons import Code, nothing_completes

#: $a and $b are locations, $e is a value, $m and $w are orders, $n is the object of the thread.
BEFORE = (
    "e := $a$m", "e := $a$m", "s := $b$m", "s := $b$m; if s { e := 1 } else { e := 0 }", "$b$w := 1", "$b := s",
    "d := 1", "r := d", "fence.sc", "fence.rel", "e := 0", "e := $e", "assume(s != 1)", "assert(s != 1)",
    "i := i + 1", "FADD($b, 1)", "[n] := e", "[n].na := e", "[n].na := $a", "[n].rel := s",
    "t := [n].na; [n].na := t + 1", "[n + 8] := 2", "wait($b == 0)", "while $b == 1 { }", "r := d; d := r",
    "d := i", "e := s", "$b := n", "if s == 2 { break }", "t := e; e := t",
)  # fmt: skip
AFTER = (
    "s := $b$m", "$b := 1", "d := 2", "r := d; d := r", "d := e", "if !k { s := $b }", "if !k { $b := 1 }",
    "if !k { d := 1 }", "if !k { while $a != 0 { } }", "if !k { wait($a == 0) }", "i := i + 1", "e := $e", "e := s",
    "fence.acq", "assert(s != 1)", "if !k { assert(s != 2) }", "if s { e := 1 } else { e := 0 }",
    "if o == 1 { break }", "[n] := 1", "if !k { [n].na := 1 }", "if !k { e := o }", "[n].na := o", "t := s; s := 0",
    "if i == 2 { break }; i := i + 1", "if k { $b := 1 }", "k := k & 1",
)  # fmt: skip
#: Around what makes an object known.
PUSH = (
    "[n].na := o", "[n].na := o", "[n]$w := o", "[n + 8]$w := 3", "[n].na := $a", "r := [n].na", "n := malloc(16)",
    "d := 1", "r := d; d := r", "[n].na := 5", "$b := n", "o := $a$m", "s := $b$m", "m := n + 8; [m].na := o",
    "[m] := 1", "if s { m := n } else { m := n + 8 }; [m].na := 2", "fence.rel", "i := i + 1; [n].na := i",
    "free(n); n := malloc(16)",
)  # fmt: skip
OTHERS = (
    "$a$w := 1", "$a := 0", "$b$w := 1", "d := 1", "r := d", "r := $a$m; s := $b$m; assert(s >= r)",
    "r := FADD($a, 1)", "_, r := CAS($a, 0, 1); if r { d := 1 }",
    "p := $a$m; if p > 9 { v := [p]; w := [p + 8].na }", "r := $b$m; t := $a",
    "p := $a$m; if p > 9 { v := [p].na }", "p := $b; if p > 9 { v := [p]; [p] := 3 }", "r := $a; $b := r",
    "$b := 1; $b := 0", "p := $a$m; if p > 9 { q := [p]; _, r := CAS($a, p, q) }", "r := $a$m; if r { $b := 2 }",
    "$a := 1; $a := 0", "p := $a.acq; if p > 9 { free(p) }", "wait($a != 0); d := 3",
)  # fmt: skip


#: How long a loop goes round, and what its rounds do for that.
GUARDS = (("!k", ""), ("!k", ""), ("1", "if k { break }"), ("!k && i < 2", "i := i + 1"))
ALL = "local c, e, i, m, n, o, p, q, r, s, t, v"


@dataclass
class Maker:
    """`exchange` writes down one weak compare-exchange: the place, its order, what it expects and what it writes."""

    random: Random
    exchange: Callable[[str, str, str, str], str]

    def filled(self, text: str) -> str:
        a, b = self.random.choice(["xy", "xy", "xy", "yx"])
        text = text.replace("$a", a).replace("$b", b).replace("$e", str(self.random.randint(0, 1)))
        text = text.replace("$m", self.random.choice(["", "", ".acq", ".sc"]))
        return text.replace("$w", self.random.choice(["", "", ".rel", ".sc"]))

    def some(self, choices: tuple[str, ...], most: int) -> list[str]:
        return [self.filled(self.random.choice(choices)) for _ in range(self.random.randint(0, most))]

    def pushed(self) -> str:
        into = self.exchange("x", self.random.choice(["", ".rel", ".acq_rel", ".sc"]), "o", "n").replace("OLD", "o")
        before, after = self.some(PUSH, 2), self.some(PUSH, 1)
        after = [f"if !k {{ {'; '.join(after)} }}"] if after else []
        return f"o := {self.random.choice('x0')}; k := 0; while !k {{ {'; '.join([*before, into, *after])} }}"

    def attempt(self) -> str:
        order = self.random.choice(["", "", ".acq", ".rel", ".acq_rel", ".sc"])
        expected = self.random.choice(["e", "e", "e", "0", "1", "o", "s"])
        desired = self.random.choice(["1", "2", "e + 1", "n", "n", "n + 8", "s"])
        into = self.exchange("x", order, expected, desired)
        return into.replace("OLD", self.random.choice(["o", "o", "e", "q"]))

    def loop(self) -> str:
        return self.pushed() if self.random.random() < 0.5 else self.retried()

    def retried(self) -> str:
        before, after = (
            self.some(BEFORE, self.random.choice([1, 1, 2])),
            self.some(AFTER, self.random.choice([0, 1, 1])),
        )
        guard, end = self.random.choice(
            [("!k", ""), ("!k", ""), ("1", "if k { break }"), ("!k && i < 2", "i := i + 1")]
        )
        if self.random.random() < 0.3:
            before = [f"if s {{ {'; '.join(before)} }}"] if before else before
        if end and self.random.random() < 0.5:
            after = [end, *after]
        else:
            after = [*after, end] if end else after
        return f"k := 0; while {guard} {{ {'; '.join([*before, self.attempt(), *after])} }}"

    def thread(self) -> str:
        parts = [
            "local c, e, i, m, n, o, p, q, r, s, t, v",
            *self.some(OTHERS, 1),
            *self.starts(),
            self.loop(),
            *self.some(OTHERS, 1),
        ]
        return "; ".join(parts)

    def starts(self) -> list[str]:
        """What the registers of the loop begin with."""
        first = [f"n := malloc(16); m := n + 8; [n + 8]{self.random.choice(['', '.na'])} := 7"]
        first += [self.filled(self.random.choice(["e := $a", "e := 0", "e := 1"]))] * (self.random.random() < 0.6)
        return [*first, *(["s := y"] if self.random.random() < 0.3 else [])]

    def program(self) -> str:
        threads = [
            self.thread(),
            "; ".join(["local r", self.filled(self.random.choice(OTHERS)), *self.some(OTHERS, 1)]),
        ]
        if self.random.random() < 0.35:
            threads[1] = self.thread()
        if self.random.random() < 0.25:
            threads.append(self.filled(self.random.choice(OTHERS)))
        lines = ["var x, y", "na d", *(f"thread P{t} {{ {body} }}" for t, body in enumerate(threads))]
        seen = [f"P{t}:{r}" for t in range(len(threads)) for r in "rst" if self.random.random() < 0.3]
        seen = [s for s in seen if f" {s[-1]} :=" in threads[int(s[1])]]
        return "\n".join([*lines, f"observe {', '.join([*seen, 'd'])}", ""])


def weak(place: str, order: str, expected: str, desired: str) -> str:
    return f"OLD, k := WCAS({place}{order}, {expected}, {desired})"


def spelled_out(place: str, order: str, expected: str, desired: str) -> str:
    read = {"": "", ".rel": "", ".acq": ".acq", ".acq_rel": ".acq", ".sc": ".sc"}[order]
    fails = f"w0 := {expected}; OLD := {place}{read}; assume(OLD == w0); k := 0"
    tries = f"OLD, k := CAS({place}{order}, {expected}, {desired})"
    return f"c := choose(0..1); if c {{ {fails} }} else {{ {tries} }}"


def texts(seed: int) -> tuple[str, str]:
    """A program with weak exchanges, and the same with their failures spelled out."""
    first, second = (_numbered(Maker(Random(seed), write).program()) for write in (weak, spelled_out))
    return first, second


def _numbered(text: str) -> str:
    """Assertions get names, which both texts share."""
    number = count(1)
    return re.sub(r"assert\(([^)]*)\)", lambda found: f'assert({found[1]}, "no. {next(number)}")', text)


ROUNDS = 3
#: Of those who wait any may be named, of two accesses that race either, and rounds that are cut off wait for nobody.
WAITING = (ErrorKind.DEADLOCK, ErrorKind.LIVENESS)


_WHOLE = (Code.COMPLETE, Code.ERROR)


@dataclass(frozen=True, slots=True)
class Told:
    """`whole`: nothing is missing but what bounds cut off; `bounded`: they did."""

    errors: frozenset[tuple[ErrorKind, str]]
    states: frozenset[tuple[tuple[str, int], ...]]
    whole: bool
    bounded: bool


def told(text: str, model: str, **more: object) -> Told:
    """What `check` says, which runs each error once more, and `outcomes`."""
    program = read(text, "retries.fp")
    limits = {"max_executions": 1_500, "time_limit": 1.0}
    found = fencepost.check(program, model=model, keep_going=True, fix=False, **limits, **more)
    seen = fencepost.outcomes(program, model=model, **limits, **more)
    reasons = [r for r in (*found.reasons, *seen.reasons) if r.code not in _WHOLE and r != nothing_completes()]
    errors = frozenset(
        (e.kind, "" if e.kind is ErrorKind.RACE else e.message if e.kind is ErrorKind.ASSERTION else "")
        for e in found.errors
    )
    limit = any(r.code is Code.LIMIT for r in reasons)
    return Told(
        frozenset(e for e in errors if e[0] not in WAITING),
        frozenset(tuple(sorted(dict(s).items())) for s in seen.states),
        not limit,
        bool(reasons),
    )


def difference(seed: int, model: str) -> str | None:
    """What is wrong; None also where there are too many executions to say."""
    program, spelled = texts(seed)
    whole = told(program, model)
    if not whole.whole or whole.bounded:
        return None
    far = told(spelled, model, spin_detection=False, unroll=ROUNDS, symmetry=False, shortcuts=False, reductions=False)
    if not far.whole:
        return None
    lost = _lost(far, whole)
    if lost:
        return f"{lost} by three rounds of what is spelled out, and not by the program\n{program}"
    near = told(program, model, spin_detection=False, unroll=ROUNDS)
    new = _lost(near, far) if near.whole else ""
    return f"{new} by three rounds, and not where failures are spelled out\n{program}" if new else None


def _lost(small: Told, large: Told) -> str:
    errors = small.errors - large.errors
    if ErrorKind.USE_AFTER_FREE in {kind for kind, _ in large.errors}:  # an execution with both ends at either
        errors = {(kind, words) for kind, words in errors if kind is not ErrorKind.UNINITIALISED}
    if errors:
        return f"errors {sorted((kind.value, words) for kind, words in errors)}"
    states = small.states - large.states
    return f"final states {sorted(states)[:3]}" if states and not large.errors else ""
