"""All reductions together: programs with locks, equal threads, barriers and loops that wait in odd ways. Each reduction
alone, and all of them, against an exploration with none: the same executions up to the names of equal threads and the
order of arrival at barriers, each of them once; the same errors; blocked or not; the same final memories.

    python tests/lab/reductions.py --programs 4000 --seed 0 --model all [--only locks] [--minutes 10] [--jobs 2]
    python tests/lab/reductions.py --compared 20000 --state reductions.json --jobs 2     # go on there, until so many

Programs that are too large, and those that cannot be explored to the end without reductions, are not compared.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "explore"))

from test_attempts import attempts_program
from test_odd_loops import ASSERTS, LOOPS, OTHERS, SHORTCUTS, odd_program
from twins import Made, Maker, Threads, named, orbit, renamed

from fencepost import _core
from fencepost.explore.begin import begin
from fencepost.explore.native import native_options
from fencepost.models.registry import find
from fencepost.options import CheckOptions
from fencepost.prepare.encoded import Prepared
from fencepost.program.instructions import ErrorKind, Instruction, Sync, SyncOp
from fencepost.program.operands import Const, GlobalAddress
from fencepost.program.program import Init, Program

MODELS = ("sc", "tso", "pso", "ra", "rc11")
MOST = 300  # executions; larger programs are skipped
SECONDS = 2.0
_BARRIER = "bar"
_MUTEXES = ("m", "n", "k", "l")
_HIDDEN = (2, 7, 8)  # kinds of events: fences, of which compiling an unlock may make some; a block begins and ends
_ANYWHERE = (ErrorKind.DEADLOCK, ErrorKind.LIVENESS)  # any of those who wait may be named
_UNSURE = (ErrorKind.LEFT_OUT, ErrorKind.EVENT_BOUND, ErrorKind.STEP_BOUND)
_KINDS = tuple(ErrorKind)
#: What is on, beside the exploration with nothing.
SWITCHES: dict[str, dict[str, bool]] = {
    "symmetry": {"shortcuts": False, "barriers": False, "locks": False},
    "barriers": {"shortcuts": False, "symmetry": False, "locks": False},
    "locks": {"shortcuts": False, "symmetry": False, "barriers": False, "locks": True},
    "shortcuts": {"reductions": False},
    "all but shortcuts": {"shortcuts": False, "locks": True},
    "all": {"locks": True},
}


@dataclass
class WithBarrier(Made):
    """`lock(bar)` is an arrival, `r := trylock(bar)` one whose result is used. The barrier is for `count` threads."""

    count: int = 0

    def program(self) -> Program:
        found = Made.program(self)
        functions = tuple(replace(f, code=tuple(_arrival(i) for i in f.code)) for f in found.functions)
        objects = tuple(
            replace(o, size=16, init=(Init(0, 8, Const(self.count)),)) if o.name == _BARRIER else o
            for o in found.objects
        )
        return replace(found, functions=functions, objects=objects)


def _arrival(i: Instruction) -> Instruction:
    if not isinstance(i, Sync) or i.args[0] != GlobalAddress(_BARRIER):
        return i
    return replace(i, op=SyncOp.BARRIER_WAIT)


class AnyMaker(Maker):
    """Equal threads and others, which meet at a barrier or wait in loops."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.arrivals, self.used, self.odd = 0, False, 0.0

    def made(self) -> WithBarrier:
        choose = self.random.choice
        self.arrivals = choose([0, 0, 1, 1, 1, 2])
        self.used = self.random.random() < 0.08
        self.odd = choose([0.0, 0.0, 0.5])
        plain = super().made()
        threads = sum(map(len, plain.classes)) + plain.text.count("thread P")
        count = max(threads + choose([0, 0, 0, 0, 0, -1, 1]), 1)
        text = plain.text.replace("mutex m\n", f"mutex m\nmutex {_BARRIER}\n")
        return WithBarrier(text, plain.classes, plain.joins, count)

    def body(self, length: int) -> str:
        parts = super().body(max(1, length - self.arrivals)).split("; ")
        if self.random.random() < self.odd:
            loop = self.random.choice(LOOPS + SHORTCUTS)
            a, b = self.random.sample(["x", "y"], 2)
            value = str(self.random.randint(1, 2))
            parts.append(loop.replace("$a", a).replace("$b", b).replace("$v", value))
        rounds = self.arrivals - (self.random.random() < 0.05)
        for _ in range(rounds):
            arrival = f"u := trylock({_BARRIER}); z := u" if self.used else f"lock({_BARRIER})"
            at = self.random.choice([n for n in range(len(parts) + 1) if _is_whole(parts[:n])])
            parts.insert(at, arrival)
        return "; ".join(parts)


#: What is accessed outside sections by who was told so in one: w is of who gives it, then of who takes it from f.
_GIVE = ("w := 1; lock(m); f := 1; unlock(m)", "h := w; w := h + 1; lock(m); h := x; f := 1; unlock(m)")
_TAKE = (
    "lock(m); h := f; unlock(m); if h == 1 { h := w }",
    "lock(m); h := f; unlock(m); if h == 1 { w := 2 }",
    "lock(m); h := f; if h == 1 { f := 2 }; unlock(m); if h == 1 { w := 3 }",
    "lock(m); h := f; if h == 1 { f := 2 }; unlock(m); if h == 1 { w := 4; lock(m); f := 1; unlock(m) }",
    "lock(m); h := f; if h == 1 { f := 2; h := w }; unlock(m)",
    "lock(m); h := f; if h == 1 { y := 2 }; unlock(m)",
    "lock(m); h := y; unlock(m); if h == 2 { h := w }",
)


class LockMaker(Maker):
    """Threads, some of them equal, that access most memory in critical sections: x and y under m, z under n. In every
    third program they give one another a place, w, that is accessed outside."""

    mutexes = "m"
    hands = False

    def made(self) -> WithBarrier:
        choose = self.random.choice
        lines, classes, t = ["var x, y, z, w, f", "mutex m", "mutex n"], [], 0
        self.mutexes = choose(["m", "mmmn", "mn"])
        self.hands = choose([False, False, True])
        for k in choose(
            [(1, 1), (1, 1), (1, 1, 1), (1, 1, 1), (1, 1, 1, 1), (2,), (2, 1), (1, 2), (3,), (2, 2), (3, 1)]
        ):
            body = self.handing(t, self.body(choose([1, 2, 2, 3] if t + k < 4 else [1, 1, 2])))
            name = f"C{t}_(i in 1..{k})" if k > 1 else f"P{t}"
            lines.append(f"thread {name} {{ {body} }}")
            classes += [tuple(range(t, t + k))] if k > 1 else []
            t += k
        joins = choose([None, None, 0, t])
        shift = joins is not None
        equal = tuple(tuple(k + shift for k in c) for c in classes)
        return WithBarrier("\n".join(lines) + "\n", equal, joins, 0)

    def handing(self, t: int, body: str) -> str:
        """The first thread gives, others take, most often."""
        if not self.hands or self.random.random() < 0.2:
            return body
        part = self.random.choice(_TAKE if t or self.random.random() < 0.1 else _GIVE)
        return self.random.choice([part, f"{part}; {body}", f"{body}; {part}"])

    def body(self, length: int) -> str:
        self.registers, parts = 0, []
        for _ in range(length):
            mutex = self.random.choice(self.mutexes)
            self.locations = ["z"] if mutex == "n" else ["x", "y"]
            inside = [self.statement() for _ in range(self.random.choice([1, 1, 2, 2, 3]))]
            if self.random.random() < 0.04:
                inside.append(self.random.choice(["lock(m)", "lock(n); unlock(n)", "unlock(m)", "r9 := x", "r9 := z"]))
            parts += [f"lock({mutex})", *inside, *([f"unlock({mutex})"] if self.random.random() < 0.98 else [])]
            if self.random.random() < 0.03:
                parts.append(self.statement())
        if self.registers and self.random.random() < 0.2:
            parts.append(f"assert(r{self.random.randrange(self.registers)} != 2)")
        return "; ".join(parts)


def _is_whole(parts: list[str]) -> bool:
    text = "; ".join(parts)
    return text.count("{") == text.count("}")


@dataclass
class Ran:
    """`executions`: as values with names, without the barrier; how often each was met is how often it stands here."""

    executions: list[tuple[object, ...]]
    memories: set[object]
    blocked: bool
    errors: frozenset[tuple[ErrorKind, int]]
    sure: bool
    whole: bool  # no number is left out, and nothing was given up
    representing: int
    given_up: bool
    by_sections: bool


def explored(program: Program, model: str, most: int = 0, **switches: bool) -> Ran | None:
    """None where it is too large."""
    known, again = find(model), dict(switches)
    while True:
        options = CheckOptions(model=model, keep_going=True, fix=False, **again)
        prepared, engine = begin(program, known, options)
        assert prepared is not None, "these models should be explored"
        native = native_options(prepared, known, engine, options, 0)
        native.keep_executions = 1 << 40
        exploration = _core.Exploration(prepared.bytecode, native)
        exploration.run(SECONDS, most or 1 << 60, 1)
        results = exploration.results()
        if not (results.asymmetric or results.irregular):
            break
        again["symmetry" if results.asymmetric else "locks" if prepared.sections else "barriers"] = False
    if exploration.remaining():
        return None
    kinds = [(_KINDS[f.kind], f.position) for f in results.findings]
    return Ran(
        [_seen(x, prepared) for x in results.kept], {_memory(x, prepared) for x in results.kept}, results.blocked > 0,
        frozenset((k, -1 if k in _ANYWHERE else at) for k, at in kinds), not any(k in _UNSURE for k, _ in kinds),
        not (results.uncounted or results.late) and again == switches, results.representing, again != switches,
        prepared.sections,
    )  # fmt: skip


def _object(prepared: Prepared, address: int) -> str:
    found = prepared.encoded.layout.find(address)
    return found[0].name if found is not None else ""


def _seen(x: _core.CoreExecution, prepared: Prepared) -> tuple[object, ...]:
    """Without what happens at the barrier and to the mutexes."""
    numbers: dict[int, int] = {}
    names: list[tuple[int, int] | None] = []
    for e in x.events:
        hidden = e.kind in _HIDDEN or _object(prepared, e.address) in (_BARRIER, *_MUTEXES)
        names.append(None if hidden else (e.thread, numbers.setdefault(e.thread, 0)))
        numbers[e.thread] = numbers.get(e.thread, 0) + (not hidden)
    return named(x, names)


def _memory(x: _core.CoreExecution, prepared: Prepared) -> frozenset[tuple[str, int]]:
    last = ((_object(prepared, a), x.events[ws[-1]].value) for a, ws in x.coherence if ws)
    return frozenset((name, value) for name, value in last if name in ("x", "y", "z", "w", "f"))


def difference(made: Made, base: Ran, less: Ran, what: str) -> str | None:
    if base.errors != less.errors:
        return f"errors {sorted(map(str, base.errors))} and {sorted(map(str, less.errors))}"
    if base.memories != less.memories:
        return f"memories {base.memories ^ less.memories}"
    if what in ("shortcuts", "all"):
        return "blocked only with them" if less.blocked and not base.blocked else None
    if base.blocked != less.blocked:
        return f"blocked {base.blocked} and {less.blocked}"
    alone = what in ("barriers", "locks")
    classes: Threads = () if alone else made.classes
    there = {renamed(x, {}) for x in base.executions}
    orbits = [orbit(x, classes) for x in less.executions]
    kept = {x for o in orbits for x in o}
    if kept != there:
        return f"lost {len(there - kept)}, invented {len(kept - there)} of {len(there)} executions"
    ordered = any(f"lock({name})" in made.text for name in _MUTEXES) or "trylock" in made.text
    single = less.by_sections and "lock(n)" not in made.text  # of several mutexes some orders are left over
    once = single if what == "locks" else what == "barriers" and not ordered
    if once and not less.given_up and len(orbits) != len(set(orbits)):
        return f"{len(orbits)} visited for {len(set(orbits))} executions"
    if what == "symmetry" and less.whole and less.representing not in (0, len(base.executions)):
        return f"{less.representing} of {len(base.executions)} executions"
    return None


@dataclass
class Tally:
    programs: int = 0
    skipped: int = 0
    unfinished: int = 0  # in the time
    executions: int = 0
    visited: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SWITCHES, 0))
    decided: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SWITCHES, 0))  # programs
    fewer: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SWITCHES, 0))  # programs with fewer executions
    summed: int = 0  # programs whose orbits' sizes were held to the full number
    given_up: int = 0
    bad: list[str] = field(default_factory=list)

    @staticmethod
    def sum(all_of_them: Iterable[Tally]) -> Tally:
        whole = Tally()
        for t in all_of_them:
            whole.programs += t.programs
            whole.skipped += t.skipped
            whole.unfinished += t.unfinished
            whole.executions += t.executions
            whole.given_up += t.given_up
            whole.summed += t.summed
            whole.bad += t.bad
            for name in SWITCHES:
                whole.visited[name] += t.visited[name]
                whole.decided[name] += t.decided[name]
                whole.fewer[name] += t.fewer[name]
        return whole

    def compare(self, made: Made, model: str, names: Iterable[str] = tuple(SWITCHES)) -> list[str]:
        """What is different."""
        program = made.program()
        base = explored(program, model, MOST, reductions=False, shortcuts=False)
        if base is None or not base.sure:
            self.skipped += 1
            return []
        self.programs += 1
        self.executions += len(base.executions)
        wrong = []
        for name in names:
            switches: dict[str, Any] = SWITCHES[name]
            less = explored(program, model, **switches)
            if less is None:
                self.unfinished += 1
            elif less.sure:
                self.visited[name] += len(less.executions)
                self.decided[name] += 1
                self.fewer[name] += len(less.executions) < len(base.executions)
                self.summed += name == "symmetry" and less.whole and less.representing > 0
                self.given_up += less.given_up
                if (found := difference(made, base, less, name)) is not None:
                    wrong.append(f"{name}: {found}")
        return wrong


def program_of(seed: int, *, only: str = "") -> WithBarrier:
    """Of the shortcuts, every second program has attempts that are taken back, the others have loops that wait in odd
    ways; of all reductions, every fifth has the ones and every fifth the others."""
    kind = 4 if only == "locks" else seed % (2 if only == "shortcuts" else 5)
    if kind == 0:
        return WithBarrier(attempts_program(seed, observed=False), (), None, 0)
    if kind == 1:
        text = odd_program(seed, loops=LOOPS + SHORTCUTS, others=OTHERS + ASSERTS)
        return WithBarrier(text[: text.index("observe ")], (), None, 0)
    return (LockMaker if only == "locks" or seed % 2 else AnyMaker)(seed).made()


@dataclass
class Share:
    """Every `jobs`-th program of a run, for one process. `compared`: it ends when so many were; with 0 after the last
    seed. `state`: where it is kept how far it came."""

    seeds: range
    models: tuple[str, ...]
    only: str
    minutes: float
    compared: int = 0
    state: Path | None = None

    def run(self) -> dict[str, Tally]:
        seed, tallies = self.begun()
        names = (self.only,) if self.only else tuple(SWITCHES)
        end, kept = time.monotonic() + 60 * self.minutes, time.monotonic()
        while not self.is_done(seed, tallies):
            if time.monotonic() > end:
                print(f"the time is over before seed {seed}", flush=True)
                break
            made, model = program_of(seed, only=self.only), Random(seed).choice(self.models)
            for wrong in tallies[model].compare(made, model, names):
                tallies[model].bad.append(f"{seed}: {wrong}")
                print(f"{model}, seed {seed}: {wrong}\njoins {made.joins}, count {made.count}\n{made.text}", flush=True)
            seed += self.seeds.step
            if time.monotonic() > kept + 5:
                self.keep(seed, tallies)
                kept = time.monotonic()
        self.keep(seed, tallies)
        return tallies

    def is_done(self, seed: int, tallies: dict[str, Tally]) -> bool:
        if self.compared:
            return sum(t.programs for t in tallies.values()) >= self.compared
        return seed >= self.seeds.stop

    def begun(self) -> tuple[int, dict[str, Tally]]:
        tallies = {m: Tally() for m in self.models}
        if self.state is None or not self.state.exists():
            return self.seeds.start, tallies
        found = json.loads(self.state.read_text(encoding="utf-8"))
        if found["run"] != self.name():
            raise SystemExit(f"{self.state} is of another run: {found['run']}, not {self.name()}")
        return found["seed"], tallies | {m: Tally(**t) for m, t in found["tallies"].items()}

    def keep(self, seed: int, tallies: dict[str, Tally]) -> None:
        if self.state is not None:
            found = {"run": self.name(), "seed": seed, "tallies": {m: asdict(t) for m, t in tallies.items()}}
            fresh = self.state.with_suffix(".new")
            fresh.write_text(json.dumps(found), encoding="utf-8")
            fresh.replace(self.state)

    def name(self) -> str:
        return f"{self.only or 'each'} from {self.seeds.start}, each {self.seeds.step}., {' '.join(self.models)}"


def told(model: str, t: Tally) -> str:
    by_switch = ", ".join(f"{name} {n} in {t.decided[name]} programs, fewer in {t.fewer[name]}"
                          for name, n in t.visited.items() if n)  # fmt: skip
    return (f"{model}: {t.programs} programs ({t.skipped} too large or unsure), {t.executions} executions; visited: "
            f"{by_switch}; {t.summed} with orbits summed up, {t.given_up} given up, {t.unfinished} not done in time, "
            f"{len(t.bad)} wrong")  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--compared", type=int, default=0, help="in place of --programs: until so many were compared")
    parser.add_argument("--state", type=Path, help="go on from this file, and keep there how far it came")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", choices=[*MODELS, "all"], default="all")
    parser.add_argument("--only", choices=SWITCHES, help="this one alone; of locks: on programs with sections only")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop then")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    asked = parser.parse_args()
    models = MODELS if asked.model == "all" else (asked.model,)
    last, jobs, state = asked.seed + asked.programs, asked.jobs, asked.state
    shares = [
        Share(range(asked.seed + n, last, jobs), models, asked.only or "", asked.minutes, -(-asked.compared // jobs),
              state.with_name(f"{state.stem}-{n}-of-{jobs}.json") if state is not None else None)
        for n in range(jobs)
    ]  # fmt: skip
    with ProcessPoolExecutor(jobs) as pool:
        found = list(pool.map(Share.run, shares))
    tallies = {m: Tally.sum(f[m] for f in found) for m in models}
    for model, t in (*tallies.items(), ("all", Tally.sum(tallies.values()))):
        print(told(model, t))
    return 1 if any(t.bad for t in tallies.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
