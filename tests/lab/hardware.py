"""The explorer of models that let events commit out of program order against enumeration, execution by execution.

    python tests/lab/hardware.py --model armv8 --minutes 2
    python tests/lab/hardware.py --minutes 10 --seed 100000          # all five models and all shapes, in turn
    python tests/lab/hardware.py --minutes 60 --jobs 2 --programs 1700 --seed 7000000    # 20 000 for each model
    python tests/lab/hardware.py --model imm --shape buffers --seed 300223 --programs 1 --show

Prints per model: programs, executions, how many were lost, too many, found twice, and the dead ends. Exit code 1 where
a number is not what it should be, with the seeds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from other_core import use_core  # before anything of fencepost is imported

use_core(sys.argv)

from buffering import buffering_program  # noqa: E402
from crowding import crowding_program  # noqa: E402
from overtaking import overtaking_program  # noqa: E402
from sizes import of_mixed_sizes  # noqa: E402
from standing import standing_program  # noqa: E402

from fencepost.enumerate.enumeration import Status, enumerate_all  # noqa: E402
from fencepost.explore import native  # noqa: E402
from fencepost.explore.begin import begin  # noqa: E402
from fencepost.explore.candidates import native_judge  # noqa: E402
from fencepost.explore.convert import to_execution  # noqa: E402
from fencepost.explore.engines import engine_of  # noqa: E402
from fencepost.generate.random_programs import SHAPES, Shape, random_program  # noqa: E402
from fencepost.models.registry import MIXED, find  # noqa: E402
from fencepost.options import ExploreOptions  # noqa: E402
from fencepost.prepare.pieces import in_pieces, of_pieces  # noqa: E402
from fencepost.prepare.ready import ready  # noqa: E402
from fencepost.program.condition import FinalMemory  # noqa: E402
from fencepost.program.instructions import Call, Compute, FenceKind, Instruction, Join, Load, Mode, Return, Spawn, Store  # noqa: E402
from fencepost.program.operands import Const, FunctionAddress, GlobalAddress, Reg  # noqa: E402
from fencepost.program.printer import print_program  # noqa: E402
from fencepost.program.program import Function, Object, Program, Thread  # noqa: E402
from fencepost.program.validate import validate  # noqa: E402
from fencepost.program.vocabulary import Op  # noqa: E402

MODELS = ("power", "armv8", "riscv", "armv7", "imm")
KINDS = (
    "loops", "compares", "outcomes", "updates", "forwards", "buffers", "exclusives", "fences", "waits", "plain",
    "spawned", "blocks", "private", "sizes", "halves", "stands", "turns", "groups", "parts", "overtakes", "crowds",
)  # fmt: skip
IN_PIECES = ("sizes", "halves", "parts")  # accesses of mixed size
FENCES = (FenceKind.ACQ, FenceKind.REL, FenceKind.ACQ_REL, FenceKind.SC)  # C's, which every model takes
MORE_FENCES = {  # besides those of most shapes
    "armv8": (FenceKind.DSB_SY, FenceKind.DSB_LD, FenceKind.DSB_ST),
    "armv7": (FenceKind.DSB_SY, FenceKind.DSB_ST),
    "riscv": (FenceKind.FENCE_R_W, FenceKind.FENCE_W_RW, FenceKind.FENCE_RW_R),
}
MOST = 1500  # executions of a program that is looked at
PATIENCE = 20  # seconds for its enumeration: some have billions of candidates and few executions
MORE = {"overtakes": 4000}


def shape_of(model: str, kind: str) -> Shape:
    base = SHAPES["c11" if model == "imm" else "armv8" if model == "armv7" else model]
    if model == "armv7":  # which knows no modes
        base = replace(base, load_modes=(Mode.RLX,), store_modes=(Mode.RLX,), rmw_modes=(Mode.RLX,))
    few = replace(base, values=1, initial=False, awaits=0, blocking_cas=0, exclusives=0)
    relaxed = replace(
        few,
        load_modes=(Mode.RLX,) * 6 + tuple(base.load_modes),
        store_modes=(Mode.RLX,) * 4 + tuple(base.store_modes),
    )
    match kind:
        case "compares":
            return replace(few, threads=(2, 3), locations=(2, 3), cas=4, rmw=1, branches=2, loads=8, stores=9)
        case "outcomes":
            return replace(few, threads=(2, 4), locations=(1, 2), cas=8, rmw=2, branches=1, loads=5, stores=5, fence=1)
        case "private":
            modes = (Mode.RLX,) * 4 + tuple(base.rmw_modes)
            return replace(
                relaxed, threads=(2, 3), locations=(1, 2), cas=1, rmw=9, rmw_modes=modes, fence=1, loads=4, stores=4
            )
        case "updates":
            return replace(
                relaxed, threads=(2, 3), locations=(1, 3), cas=1, rmw=9, fence=1, loads=7, stores=5, values=2
            )
        case "fences":
            every = (*base.fences, *FENCES, *MORE_FENCES.get(model, ()))
            return replace(
                base, threads=(3, 4), locations=(2, 4), fence=7, fences=every, rmw=1, cas=1, awaits=0, blocking_cas=0
            )
        case "forwards":
            return replace(relaxed, threads=(2, 2), locations=(2, 3), fence=0, cas=0, rmw=2, loads=10, stores=10)
        case "buffers":
            return replace(relaxed, threads=(3, 3), locations=(2, 3), fence=1, cas=1, rmw=1, loads=9, stores=9)
        case "exclusives":
            exclusives = 0 if model == "imm" else 6
            return replace(few, threads=(2, 3), locations=(1, 3), exclusives=exclusives, fence=2)
        case "waits":
            return replace(base, awaits=3, blocking_cas=2, assumes=1, chooses=1)
        case "blocks":
            return replace(few, threads=(2, 3), locations=(1, 2), blocks=4, cas=1, rmw=1, exclusives=0)
        case "sizes" | "halves":  # of which the second has load buffering mostly, and dependencies
            some = replace(base, awaits=0, blocking_cas=0, cas=0, locations=(1, 2), threads=(2, 3), rmw=2, exclusives=2)
            return some if kind == "sizes" else replace(some, fence=1, rmw=1, loads=10, stores=10, arithmetic=3)
        case "spawned":
            return replace(base, threads=(2, 3), awaits=1, cas=1, rmw=1)
        case _:
            return base


def kinds_of(model: str) -> tuple[str, ...]:
    """imm has no pieces of accesses."""
    return KINDS if MIXED in find(model).offers else tuple(k for k in KINDS if k not in IN_PIECES)


def program_of(model: str, kind: str, seed: int) -> Program:
    if kind == "loops":
        return buffering_program(seed, model)
    if kind in ("stands", "turns", "groups"):
        return standing_program(seed, model, kind)
    if kind == "overtakes":
        return overtaking_program(seed, model)
    if kind == "crowds":
        return crowding_program(seed, model)
    if kind == "parts":
        return of_mixed_sizes(standing_program(seed, model, kind), seed)
    size = {"private": 4, "sizes": 4 + seed % 3, "halves": 5}.get(kind, 6 + seed % 3)
    program = random_program(seed, shape_of(model, kind), size=size)
    if kind in ("sizes", "halves"):
        return of_mixed_sizes(program, seed)
    return spawned(program) if kind == "spawned" else private(program) if kind == "private" else program


def private(program: Program) -> Program:
    """The same threads, each of which counts in a cell of its own first: what a revisit takes out and adds again."""
    cells = tuple(Object(f"own{k}", 8) for k in range(len(program.threads)))
    counting = tuple(_counts(thread, cell.name) for thread, cell in zip(program.threads, cells, strict=True))
    threads = tuple(Thread(t.name, f.name) for t, f in zip(program.threads, counting, strict=True))
    seen = tuple(o for o in program.observations if isinstance(o.what, FinalMemory))
    objects, functions = (*program.objects, *cells), (*program.functions, *counting)
    return validate(replace(program, objects=objects, functions=functions, threads=threads, observations=seen))


def _counts(thread: Thread, cell: str) -> Function:
    at, r = GlobalAddress(cell), Reg(0)
    step = (Load(r, at, 8, Mode.RLX), Compute(r, (r, Const(1)), Op.ADD), Store(at, r, 8, Mode.RLX))
    call = Call(None, FunctionAddress(thread.function), ())
    return Function(f"{thread.function}_counts", ("r",), 0, (*step, *step, call, Return()))


def spawned(program: Program) -> Program:
    """The same threads, started and joined by one that stores first and loads at the end."""
    count, names = len(program.threads), [o.name for o in program.objects]
    code: list[Instruction] = [Store(GlobalAddress(names[0]), Const(1), 8, Mode.RLX)]
    code += [Spawn(Reg(k), FunctionAddress(t.function), ()) for k, t in enumerate(program.threads)]
    code += [Join(None, Reg(k)) for k in range(count)]
    code += [Load(Reg(count + k), GlobalAddress(name), 8, Mode.RLX) for k, name in enumerate(names)]
    main = Function("main", tuple(f"r{k}" for k in range(count + len(names))), 0, (*code, Return()))
    seen = tuple(o for o in program.observations if isinstance(o.what, FinalMemory))
    return validate(
        replace(program, functions=(*program.functions, main), threads=(Thread("main", "main"),), observations=seen)
    )


@dataclass
class Compared:
    """What two ways found: executions that only one has, those found twice, blocked ones of both, and dead ends."""

    executions: int = 0
    lost: int = 0
    extra: int = 0
    twice: int = 0
    blocked: tuple[int, int] = (0, 0)
    dead_ends: int = 0

    @property
    def equal(self) -> bool:
        return not (self.lost or self.extra or self.twice) and self.blocked[0] == self.blocked[1]

    def __str__(self) -> str:
        blocked = "" if self.blocked[0] == self.blocked[1] else f", blocked {self.blocked[0]} for {self.blocked[1]}"
        return f"{self.executions} executions, {self.lost} lost, {self.extra} extra, {self.twice} twice{blocked}"


def explored(program: Program, model: str) -> tuple[Counter[object], int, int]:
    """How often each execution is found, how many are blocked, and the dead ends."""
    options = ExploreOptions(model=model)
    prepared, engine = begin(program, find(model), options)
    assert prepared is not None, f"the explorer should run this program: {engine.reason}"
    report = native.run(prepared, find(model), engine, options, keep=2**62)
    assert report.reason is None, report.reason
    found = Counter(to_execution(raw, prepared).canonical() for raw in report.results.kept)
    return found, report.results.blocked, report.results.dead_ends


def enumerated(program: Program, model: str, most: int) -> tuple[Counter[object], int] | None:
    """The executions, each as often as it is one, and how many are blocked; None where there are too many to look at,
    or too many candidates. A store-conditional that fails before a plain store of the same value looks like one that
    succeeds: two executions."""
    found: Counter[object] = Counter()
    blocked, under = 0, find(model)
    lowered = ready(program, under, ExploreOptions(model=model))
    split = in_pieces(lowered, under, program.arch)
    lowered, under = (lowered, under) if split is None else (split.program, of_pieces(under))
    deadline = time.perf_counter() + PATIENCE
    for f in enumerate_all(lowered, under, deadline=deadline, judge=native_judge(under)):
        if f.status is Status.COMPLETE:
            found[f.execution.canonical()] += 1
        blocked += f.status is Status.BLOCKED
        if len(found) > most:
            return None
    return None if time.perf_counter() > deadline else (found, blocked)


def compare(program: Program, model: str, most: int = MOST) -> Compared | None:
    """None where the program has too many executions, or is enumerated anyhow."""
    if not engine_of(find(model), program).explores:
        return None
    listed = enumerated(program, model, most)
    if listed is None:
        return None
    found, blocked, dead_ends = explored(program, model)
    wanted, waiting = listed
    return Compared(
        wanted.total(),
        (wanted - found).total(),
        len(found.keys() - wanted.keys()),
        sum(n - wanted[x] for x, n in found.items() if n > wanted[x] > 0),
        (blocked, waiting),
        dead_ends,
    )


@dataclass
class Total:
    programs: int = 0
    left_out: int = 0
    sums: Counter[str] = field(default_factory=Counter)
    bad: list[str] = field(default_factory=list)

    def add(self, name: str, found: Compared | None) -> None:
        if found is None:
            self.left_out += 1
            return
        self.programs += 1
        for what in ("executions", "lost", "extra", "twice", "dead_ends"):
            self.sums[what] += getattr(found, what)
        if not found.equal:
            self.bad.append(name)
            print(f"{name}: {found}", flush=True)

    def join(self, other: Total) -> None:
        self.programs += other.programs
        self.left_out += other.left_out
        self.sums += other.sums
        self.bad += other.bad

    def row(self, model: str) -> str:
        s = self.sums
        figures = (self.programs, s["executions"], s["lost"], s["extra"], s["twice"], s["dead_ends"], len(self.bad))
        return f"| {model} | " + " | ".join(f"{n:,}" for n in figures) + " |"


def run(
    models: list[str], kinds: list[str], first: int, seconds: float, programs: int, step: int = 1
) -> dict[str, Total]:
    """Every `step`-th seed from the first on."""
    totals = {m: Total() for m in models}
    end = time.monotonic() + seconds
    for seed in range(first, first + programs * step, step):
        for model in models:
            for kind in (k for k in kinds if k in kinds_of(model)):
                if time.monotonic() > end:
                    return totals
                name = f"--model {model} --shape {kind} --seed {seed}"
                try:
                    totals[model].add(name, compare(program_of(model, kind, seed), model, MORE.get(kind, MOST)))
                except Exception as problem:  # whatever goes wrong is a finding
                    totals[model].bad.append(name)
                    print(f"{name}: {type(problem).__name__}: {problem}", flush=True)
    return totals


def run_in_parallel(
    models: list[str], kinds: list[str], first: int, seconds: float, programs: int, jobs: int
) -> dict[str, Total]:
    """The same, by several processes that take the seeds in turn."""
    totals = {m: Total() for m in models}
    with ProcessPoolExecutor(jobs) as pool:
        parts = [
            pool.submit(run, models, kinds, first + k, seconds, (programs - k + jobs - 1) // jobs, jobs)
            for k in range(jobs)
        ]
        for part in parts:
            for model, found in part.result().items():
                totals[model].join(found)
    return totals


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=MODELS, action="append")
    parser.add_argument("--shape", choices=KINDS, action="append")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, default=2**62, help="per model and shape")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--core", type=Path, help="the folder of another build, whose core is asked")
    parser.add_argument("--show", action="store_true", help="print the program of the first seed")
    o = parser.parse_args()
    models, kinds = list(o.model or MODELS), list(o.shape or KINDS)
    if o.show:
        print(print_program(program_of(models[0], kinds[0], o.seed)))
    totals = run_in_parallel(models, kinds, o.seed, 60 * o.minutes, o.programs, o.jobs)
    print(
        "| model | programs | executions | lost | extra | twice | dead ends | bad |\n|---|---|---|---|---|---|---|---|"
    )
    for model, total in totals.items():
        print(total.row(model))
    return int(any(t.bad for t in totals.values()))


if __name__ == "__main__":
    sys.exit(main())
