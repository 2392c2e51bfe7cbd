"""Programs that mix what reductions meet: identical threads, loops that wait in odd ways, weak exchanges, waits and
loops in called functions, locks, choices, assumptions and plain memory. With and without the reductions: the same
verdict, the same errors, and nothing that a few rounds of every loop show is missing."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from fencepost.explore import explore
from fencepost.frontends.pseudo import read
from fencepost.options import CheckOptions
from fencepost.program.instructions import ErrorKind
from fencepost.program.program import Program
from fencepost.reasons import Code
from fencepost.verdict import Answer

#: $a and $b are locations, $v is a value, $m and $w are orders.
STATEMENTS = (
    "$a$w := $v", "r := $a$m", "$a$w := $v; $b$w := 1", "$a := 0", "r := FADD($b, $v)", "_, r := CAS($a, $v, 0)",
    "r := XCHG($a, $v)", "_, r := WCAS($a, 0, $v)", "_, r := WCAS($a, 0, $v); if !r { $b := 1 }", "fence.sc",
    "r := choose(0..1); if r { $a := $v }", "lock(m); $a := $v; unlock(m)", "lock(m); r := $a; unlock(m)",
    "r := trylock(m); if r { $a := 1; unlock(m) }", "lock(m); n := d; d := n + 1; unlock(m)", "wait($a$m != 0)",
    "wait($a$m == $v)", "f($v)", "g($v)", "h($v)", "r := h($v)", "lock(m); f($v); unlock(m)",
    "BCAS($a, 0, 1); n := d; d := n + 1; $a.rel := 0", "BCAS($a, $v, 0)", "r := $a$m; assert(r != $v)",
    "r := $a; s := $b; assert(r <= s)", "r := $a; assume(r != $v)", "d := $v", "r := d",
)  # fmt: skip
LOOPS = (
    "k := 0; while !k { _, k := WCAS($a, 0, $v) }",
    "k := 0; t := 0; while !k && t < 2 { _, k := WCAS($a, 0, $v); t := t + 1 }",
    "k := 0; while k != $v { k := $a }",
    "k := $a; while k == 0 { k := $a; if k == 0 { k := $b } }",
    "k := 0; e := $a; while !k { e, k := CAS($a, e, e + 1) }",
    "k := 0; while !k { e := $a; if e == 0 { _, k := CAS($a, e, $v) } }",
    "while 1 { k := $a; if k == $v { break }; s := $b; if s == 1 { break } }",
    "k := 1; while k { k := FADD($a, 1); if k { FADD($a, -1) } }",
    "k := 0; while k <= 0 { k := FADD($a, -1); if k <= 0 { FADD($a, 1) } }",
    "k := 0; while k <= 0 { k := FADD($a, -1); if k <= 0 { FADD($a, 1) } }; $b := k",
    "while 1 { if $a { break }; k := $b; if k { FADD(z, 1); FADD(z, -1) } }",
    "k := $a; if k != $v { k := $a; while k != $v { k := $a } }",
    "k := $a.acq; while k == 0 { k := $a.rlx }",
    "k := 1; while k { k := XCHG($a, 1) }",
    "k := 0; while k != $v { wait($b != 0); k := $a }",
    "k := $a; while k == 0 { fence.acq; k := $a }; s := $b",
)
BODIES = (
    "while $a$m == 0 { }", "wait($a$m != 0)", "k := 0; while !k { _, k := CAS($a, 0, v) }",
    "k := $a; if k != v { k := $a; while k != v { k := $a } }; return k",
    "k := 0; while !k { _, k := WCAS($a, 0, v) }; return k", "$a$w := v", "r := $a; return r",
    "lock(m); $a := v; unlock(m)", "_, k := WCAS($a, 0, v); return k",
    "e := $a; k := 0; while !k { e, k := CAS($a, e, e + v) }; return e",
)  # fmt: skip
#: Of those who wait any may be named, and of two accesses that race either.
ANYWHERE = (ErrorKind.DEADLOCK, ErrorKind.LIVENESS, ErrorKind.RACE)


class Maker:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def filled(self, text: str) -> str:
        a, b = self.random.sample("xyz", 2)
        text = text.replace("$a", a).replace("$b", b).replace("$v", str(self.random.randint(1, 2)))
        text = text.replace("$m", self.random.choice(["", "", ".acq", ".sc"]))
        return text.replace("$w", self.random.choice(["", "", ".rel", ".sc"]))

    def body(self, length: int) -> str:
        chosen = [self.random.choice(LOOPS if self.random.random() < 0.25 else STATEMENTS) for _ in range(length)]
        return "; ".join(self.filled(text) for text in chosen)

    def program(self) -> str:
        lines = ["var x, y, z", "na d", "mutex m"]
        lines += [f"fn {name}(v) {{ {self.filled(self.random.choice(BODIES))} }}" for name in "fgh"]
        same = self.random.choice([0, 2, 2, 2, 3])
        if same:
            length = self.random.choice([1, 2, 2, 3] if same < 3 else [1, 2])
            lines.append(f"thread C(i in 1..{same}) {{ {self.body(length)} }}")
        for t in range(self.random.choice([1, 1, 2] if same else [2, 3])):
            lines.append(f"thread P{t} {{ {self.body(self.random.choice([1, 2, 2, 3]))} }}")
        return "\n".join(lines) + "\n"


def mixed_program(seed: int) -> str:
    return Maker(seed).program()


@dataclass(frozen=True, slots=True)
class Told:
    answer: Answer
    errors: frozenset[tuple[ErrorKind, str]]


def _told(program: Program, model: str, **more: object) -> Told:
    asked = CheckOptions(
        model=model,
        keep_going=True,
        fix=False,
        max_executions=2_000,
        time_limit=1.0,
        **more,  # type: ignore[arg-type]
    )
    found = explore(program, model, asked)
    errors = {(e.kind, "" if e.kind in ANYWHERE else str(e.at)) for e in found.errors}
    stopped = any(r.code is Code.LIMIT for r in found.reasons)  # there may be more errors
    return Told(Answer.UNKNOWN if stopped else found.answer, frozenset(errors))


#: Everything that is visited once for many, and everything that is left out.
OFF = {"symmetry": False, "shortcuts": False, "reductions": False}


def difference(text: str, model: str) -> str | None:
    """What is wrong; None also where there are too many executions to say."""
    program = read(text, "mixed.fp")
    short, long = _told(program, model), _told(program, model, **OFF)
    if Answer.UNKNOWN in (short.answer, long.answer):
        return None
    if short != long:
        return f"{short.answer.value} and {long.answer.value} without reductions, {set(short.errors ^ long.errors)}"
    rounds = _told(program, model, spin_detection=False, unroll=3, **OFF)
    lost = {e for e in rounds.errors if e[0] not in ANYWHERE[:2]} - short.errors
    if lost and short.errors:  # beside an error nobody says what was left out: ask again without those
        told = tuple(sorted({kind.value for kind, _ in short.errors}))
        lost = set() if _told(program, model, ignore=told).answer is Answer.UNKNOWN else lost
    return f"three rounds of each loop show {lost}" if lost else None
