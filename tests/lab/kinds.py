"""What the laboratory compares. A kind makes a program from a seed and asks two sources that share little the same
question; an answer is None where they agree, else what differs, with a text that shows it."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from unittest.mock import patch

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "fuzz"), str(HERE.parent / "robustness")]

import explored  # noqa: E402
import failing  # noqa: E402
import hardware  # noqa: E402
import rc11_fuzz  # noqa: E402
import retries  # noqa: E402
from compared import MODELS as THREADED  # noqa: E402
from compared import difference as threads_difference  # noqa: E402
from compared import difference_with_options  # noqa: E402
from critical import critical  # noqa: E402
from little import ORDERED, PLAIN, WEAK, Flavour, Little, Statement, little, to_c, to_fp  # noqa: E402
from machines import outcomes as run_machine  # noqa: E402
from mixed import difference as mixed_difference  # noqa: E402
from mixed import mixed_program  # noqa: E402
from oracles import WAYS, compare, shrink  # noqa: E402
from started import late_starts  # noqa: E402
from stronger import stronger  # noqa: E402
from twins import Maker as TwinMaker  # noqa: E402
from twins import Tally  # noqa: E402

import fencepost  # noqa: E402
from fencepost.frontends import pseudo  # noqa: E402
from fencepost.frontends.c.compile import find_compiler  # noqa: E402
from fencepost.generate.random_programs import SHAPES, random_program  # noqa: E402
from fencepost.generate.waits import spelled_out, waiting_program  # noqa: E402
from fencepost.program.condition import FinalMemory, FinalRegister, Observation  # noqa: E402
from fencepost.program.instructions import Await, BlockingCas  # noqa: E402
from fencepost.program.printer import print_program  # noqa: E402
from fencepost.program.program import Program  # noqa: E402
from fencepost.reasons import Code, Reason, nothing_completes  # noqa: E402
from fencepost.verdict import Outcomes  # noqa: E402

Judge = Callable[[int], str | None]


@dataclass(frozen=True, slots=True)
class Kind:
    """`judge(seed)`; `weight`: how often it is asked compared with the others."""

    name: str
    model: str
    judge: Judge
    weight: int = 10


# --- little programs against machines


def _observed(program: Program, source: Little, *, c: bool) -> Program:
    def place(t: int, name: str) -> FinalMemory | FinalRegister:
        return FinalMemory(f"T{t}_{name}") if c else FinalRegister(f"T{t}", name)

    seen = [Observation(f"{t}:{name}", place(t, name)) for t, name in source.registers()]
    return replace(program, observations=(*seen, *(Observation(x, FinalMemory(x)) for x in source.locations)))


def _states(found: Outcomes) -> set[tuple[tuple[str, int], ...]]:
    return {tuple(sorted(dict(s).items())) for s in found.states}


def _by_machine(source: Little, machine: str) -> set[tuple[tuple[str, int], ...]]:
    """A register that was never written is 0 for the checker."""
    unset = {f"{t}:{name}": 0 for t, name in source.registers()}
    return {tuple(sorted((unset | dict(o)).items())) for o in run_machine(source, machine)}


COMPILER = "FENCEPOST_CLANG"


def compilers() -> tuple[str, ...]:
    """The C compilers of this machine: that of the wheel, and clang where it is on PATH."""
    return ("zig", *(["clang"] if shutil.which("clang") else []))


def _difference(source: Little, model: str, *, c: str = "") -> str | None:
    if c:
        chosen = {COMPILER: c if c == "zig" else str(shutil.which(c))}
        with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, chosen):
            path = Path(folder) / "little.c"
            path.write_text(to_c(source), encoding="utf-8")
            find_compiler.cache_clear()
            program = fencepost.read(path)
        find_compiler.cache_clear()
    else:
        program = pseudo.read(to_fp(source), "little.fp")
    found, wanted = fencepost.outcomes(_observed(program, source, c=bool(c)), model=model), _by_machine(source, model)
    have = _states(found)
    if have == wanted and not found.reason:
        return None
    return f"{len(wanted - have)} outcomes missing, {len(have - wanted)} too many {found.reason or ''}".strip()


def machine_kind(model: str, flavour: Flavour, *, c: str = "") -> Judge:
    """`c`: the compiler, where the program is written as C."""

    def judge(seed: int) -> str | None:
        source = little(seed, flavour)
        if _difference(source, model, c=c) is None:
            return None
        small = shrink_little(source, lambda p: _difference(p, model, c=c) is not None)
        return f"{_difference(small, model, c=c)}\n{to_c(small) if c else to_fp(small)}"

    return judge


def shrink_little(source: Little, bad: Callable[[Little], bool]) -> Little:
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(source):
            if bad(candidate):
                source, smaller = candidate, True
                break
    return source


def _smaller(source: Little) -> Iterator[Little]:
    for t, code in enumerate(source.threads):
        rest = (*source.threads[:t], *source.threads[t + 1 :])
        if rest:
            yield Little(rest)
        for k, s in enumerate(code):
            if not _needed(s, code):
                yield Little((*source.threads[:t], (*code[:k], *s.body, *code[k + 1 :]), *source.threads[t + 1 :]))


def _needed(s: Statement, code: tuple[Statement, ...]) -> bool:
    """Whether a later statement of the thread looks at what this one reads."""
    return s.kind != "if" and s.register != "" and any(s.register in (u.added, u.register) for u in code if u is not s)


# --- the three ways


def ways_kind(shape: str, model: str, ways: tuple[str, ...]) -> Judge:
    def judge(seed: int) -> str | None:
        program = random_program(seed, SHAPES[shape], size=6)
        found = compare(program, model, ways)
        if found is None:
            return None
        return f"{found.text} {found.counts}\n{print_program(shrink(program, model, ways))}"

    return judge


def hardware_kind(model: str) -> Judge:
    """All shapes of `hardware.py` in turn."""

    def judge(seed: int) -> str | None:
        kinds = hardware.kinds_of(model)
        number, shape = divmod(seed, len(kinds))
        program = hardware.program_of(model, kinds[shape], number)
        found = hardware.compare(program, model)
        return None if found is None or found.equal else f"{found}\n{print_program(program)}"

    return judge


def failing_kind(shape: str, model: str) -> Judge:
    return lambda seed: failing.difference(seed, shape, model)


def amid_kind(kind: str, model: str) -> Judge:
    return lambda seed: failing.difference_amid(seed, kind, model)


def late_kind(shape: str, model: str, ways: tuple[str, ...]) -> Judge:
    def judge(seed: int) -> str | None:
        program = late_starts(seed, shape, size=6)
        found = compare(program, model, ways)
        if found is None or len(set(found.counts.values())) == 1:  # who is started first has the lower number, or not
            return None
        return f"{found.text} {found.counts}\n{print_program(program)}"

    return judge


def cycles_kind(model: str, ways: tuple[str, ...]) -> Judge:
    def judge(seed: int) -> str | None:
        program = pseudo.read(critical(seed), "critical.fp")
        if model == "wrc11":
            program = replace(program, observations=_registers(program))
        found = compare(program, model, ways)
        if found is None:
            return None
        return f"{found.text} {found.counts}\n{critical(seed)}"

    return judge


def _registers(program: Program) -> tuple[Observation, ...]:
    return tuple(o for o in program.observations if isinstance(o.what, FinalRegister))


# --- relations that hold between answers


def _told(program: Program, model: str, **more: object) -> set[tuple[tuple[str, int], ...]]:
    return set(_counted(program, model, **more))


def _counted(program: Program, model: str, **more: object) -> dict[tuple[tuple[str, int], ...], int]:
    """The final states, each with the number of its executions."""
    found = fencepost.outcomes(program, model=model, **more)
    if any(not _expected(r, program, model) for r in found.reasons):
        raise AssertionError(f"no answer under {model}: {found.reason}")
    return {tuple(sorted(dict(s).items())): count for s, count in found.states.items()}


def _expected(reason: Reason, program: Program, model: str) -> bool:
    """Whether the answer may have this reason. Without a coherence order nothing says who waits for ever, and all that
    completes is there."""
    waits = any(isinstance(i, Await | BlockingCas) for f in program.functions for i in f.code)
    unsettled = model == "wrc11" and waits and reason.code is Code.NOT_PROVED
    return unsettled or reason == nothing_completes()


def _made(shape: str, seed: int, *models: str) -> Program:
    """A random program; what is last in memory is not asked where a model has no coherence order to tell it."""
    program = random_program(seed, SHAPES[shape], size=7)
    if "wrc11" not in models:
        return program
    return replace(program, observations=_registers(program))


def weaker_kind(shape: str, strong: str, weak: str) -> Judge:
    """Every outcome under the stronger model is one under the weaker."""

    def judge(seed: int) -> str | None:
        program = _made(shape, seed, strong, weak)
        lost = _told(program, strong) - _told(program, weak)
        return f"{len(lost)} outcomes of {strong} are none of {weak}\n{print_program(program)}" if lost else None

    return judge


def stronger_kind(shape: str, model: str) -> Judge:
    """A stronger order adds no outcome."""

    def judge(seed: int) -> str | None:
        program = _made(shape, seed, model)
        changed = stronger(program, seed)
        new = _told(changed, model) - _told(program, model)
        return f"{len(new)} outcomes came with a stronger order\n{print_program(changed)}" if new else None

    return judge


def turned_kind(shape: str, model: str) -> Judge:
    """The order of the threads makes no difference, nor does one that does nothing."""

    def judge(seed: int) -> str | None:
        program = _made(shape, seed, model)
        turned = replace(program, threads=tuple(reversed(program.threads)))
        a, b = fencepost.outcomes(program, model=model), fencepost.outcomes(turned, model=model)
        same = (_states(a), a.executions, a.blocked) == (_states(b), b.executions, b.blocked)
        text = f"{a.executions}+{a.blocked} executions, turned round {b.executions}+{b.blocked}"
        return None if same else f"{text}\n{print_program(program)}"

    return judge


def waits_kind(model: str) -> Judge:
    """A wait is a read that assumes what it reads: the same outcomes, each by as many executions that end."""

    def judge(seed: int) -> str | None:
        program = waiting_program(seed)
        a, b = _counted(program, model), _counted(spelled_out(program), model)
        return (
            None if a == b else f"{sum(a.values())} executions, spelled out {sum(b.values())}\n{print_program(program)}"
        )

    return judge


def _some_late(shape: str, seed: int, *, size: int) -> Program:
    """Every second program has threads that start others late."""
    if seed % 2:
        return late_starts(seed // 2, shape, size=size)
    return random_program(seed // 2, SHAPES[shape], size=size)


def jobs_kind(shape: str, model: str) -> Judge:
    def judge(seed: int) -> str | None:
        program = _some_late(shape, seed, size=9)
        a, b = fencepost.outcomes(program, model=model), fencepost.outcomes(program, model=model, jobs=2)
        same = (a.states, a.executions, a.blocked) == (b.states, b.executions, b.blocked)
        return None if same else f"two jobs: {a.executions} and {b.executions}\n{print_program(program)}"

    return judge


def resumed_kind(shape: str, model: str) -> Judge:
    """An exploration that is stopped, saved and resumed again and again comes to what one without a break does."""

    def judge(seed: int) -> str | None:
        program, random = _some_late(shape, seed, size=8), Random(seed)
        whole = fencepost.outcomes(program, model=model)
        with tempfile.TemporaryDirectory() as folder:
            state, resume, part, limit = str(Path(folder) / "state"), None, None, 0
            while part is None or any(r.code is Code.LIMIT for r in part.reasons):
                limit += random.randint(1, 1 + whole.executions + whole.blocked)
                part = fencepost.outcomes(program, model=model, max_executions=limit, save=state, resume=resume)
                resume = state
        same = (whole.states, whole.executions, whole.blocked) == (part.states, part.executions, part.blocked)
        return None if same else f"{whole.executions}, resumed {part.executions}\n{print_program(program)}"

    return judge


def rsmc_kind(shape: str, model: str) -> Judge:
    """Both algorithms find the same executions, where the other one claims to have found all."""

    def judge(seed: int) -> str | None:
        program = random_program(seed, SHAPES[shape], size=6)
        a = fencepost.outcomes(program, model=model)
        b = fencepost.outcomes(program, model=model, algorithm="rsmc")
        if b.reason or a.reason:
            return None
        same = (a.states, a.executions) == (b.states, b.executions)
        return None if same else f"{a.executions}, by RSMC {b.executions}\n{print_program(program)}"

    return judge


def mixed_kind(model: str) -> Judge:
    """With and without all that is left out: the same verdict and the same errors."""

    def judge(seed: int) -> str | None:
        text = mixed_program(seed)
        found = mixed_difference(text, model)
        return None if found is None else f"{found}\n{text}"

    return judge


def retries_kind(model: str) -> Judge:
    """Loops around weak exchanges, and the same with each failure for no reason spelled out."""
    return lambda seed: retries.difference(seed, model)


def twins_kind(model: str) -> Judge:
    """Identical threads: the executions that are visited, renamed in all ways, are those without the reduction."""

    def judge(seed: int) -> str | None:
        made = TwinMaker(seed).made()
        found = Tally().compare(made, model)
        return None if found is None else f"{found}\n{made.text}"

    return judge


def threads_kind(model: str) -> Judge:
    """Threads, locks and the like of C, held against a machine with one memory."""
    return lambda seed: threads_difference(seed, model)


def robust_kind(seed: int) -> str | None:
    """Robust against RA, SRA and TSO: the search with monitors, and the numbers of executions."""
    return explored.disagreement(seed, Counter()) or None


def robust_cycle_kind(seed: int) -> str | None:
    """The same on cycles, whose orders make no difference to these models; fences are full."""
    source = re.sub(r"fence\.\w+", "fence.sc", re.sub(r"(?<!fence)\.(rlx|acq_rel|acq|rel|sc)\b", "", critical(seed)))
    return explored.difference(explored.bounded(pseudo.read(source, "critical.fp"), 1), source, Counter()) or None


def robust_c11_kind(model: str) -> Judge:
    def judge(seed: int) -> str | None:
        source = (rc11_fuzz.random_loops if seed % 2 else rc11_fuzz.random_source)(seed)
        return rc11_fuzz.disagreement(source, model, Counter()) or None

    return judge


# --- all kinds

LANGUAGE = ("sc", "tso", "pso", "ra", "rc11", "rc11-cpp20", "wrc11")
HARDWARE = (("power", "power"), ("armv8", "armv8"), ("riscv", "riscv"), ("armv8", "armv7"), ("c11", "imm"))
INCLUSIONS = (("sc", "tso"), ("tso", "pso"), ("sc", "ra"), ("ra", "rc11"), ("sc", "rc11"), ("rc11", "wrc11"),
              ("rc11", "rc11-cpp20"))  # fmt: skip


def kinds() -> list[Kind]:
    """The weights share the time among the kinds, a cheap one being asked more often."""
    found = []
    for model, flavour in (("sc", PLAIN), ("tso", PLAIN), ("pso", PLAIN), ("ra", ORDERED), ("rc11", WEAK)):
        found += [Kind("machines", model, machine_kind(model, flavour), 450)]
        found += [Kind(f"machines, from C by {c}", model, machine_kind(model, flavour, c=c), 1) for c in compilers()]
    found += [Kind("three ways, c11", m, ways_kind("c11", m, WAYS), 14) for m in LANGUAGE]
    found += [Kind("three ways, cycles", m, cycles_kind(m, WAYS), 20) for m in LANGUAGE]
    found += [Kind("three ways, racy", m, ways_kind("c11-racy", m, WAYS), 12) for m in ("ra", "rc11")]
    blocks = ("explorer", "enumeration")
    found += [Kind("two ways, atomic blocks", m, ways_kind("blocks", m, blocks), 16) for m in LANGUAGE[:6]]
    found += [Kind("two ways, late starts", m, late_kind("c11", m, blocks), 12) for m in LANGUAGE[:6]]
    found += [Kind("two ways, hardware", m, hardware_kind(m), 40) for _, m in HARDWARE]
    found += [Kind("two ways, assertions", m, failing_kind(shape, m), 30) for shape, m in HARDWARE if shape == m]
    amid = [("blocks", m) for m in (*LANGUAGE[:6], *(m for _, m in HARDWARE))]
    amid += [("sizes", m) for _, m in HARDWARE if m != "imm"]
    found += [Kind(f"two ways, assertions amid {kind}", m, amid_kind(kind, m), 8) for kind, m in amid]
    found += [Kind("two ways, cycles", m, cycles_kind(m, blocks), 30) for _, m in HARDWARE]
    found += [Kind("weaker model", f"{a} ⊆ {b}", weaker_kind("ra" if "ra" in (a, b) else "c11", a, b), 100)
              for a, b in INCLUSIONS]  # fmt: skip
    found += [Kind("stronger order", m, stronger_kind("c11", m), 100) for m in ("rc11", "rc11-cpp20", "wrc11")]
    found += [Kind("threads turned round", m, turned_kind("c11", m), 300) for m in LANGUAGE]
    found += [Kind("waits", m, waits_kind(m), 300) for m in LANGUAGE[:6]]
    found += [Kind("resumed", m, resumed_kind("c11", m), 16) for m in ("sc", "rc11")]
    found += [Kind("resumed", m, resumed_kind(shape, m), 8) for shape, m in HARDWARE if shape == m]
    found += [Kind("two algorithms", m, rsmc_kind(shape, m), 16) for shape, m in HARDWARE[:3]]
    found += [Kind("robust", "ra, sra, tso", robust_kind, 24)]
    found += [Kind("robust, cycles", "ra, sra, tso", robust_cycle_kind, 24)]
    found += [Kind("robust", m, robust_c11_kind(m), 16) for m in ("rc11", "rc11-cpp20")]
    found += [Kind("with and without reductions", m, mixed_kind(m), 3) for m in LANGUAGE]
    found += [Kind("weak exchanges", m, retries_kind(m), 4) for m in (*LANGUAGE[:5], "power", "armv8")]
    found += [Kind("identical threads", m, twins_kind(m), 8) for m in ("sc", "tso", "pso", "ra", "rc11")]
    found += [Kind("threads and locks, from C", m, threads_kind(m), 4) for m in THREADED]
    found += [Kind("threads and locks, with options", "all", difference_with_options, 8)]
    found += [Kind("two jobs", m, jobs_kind("c11", m), 40) for m in ("rc11", "sc")]
    found += [Kind("two jobs", m, jobs_kind(shape, m), 20) for shape, m in HARDWARE[:2]]
    return found
