"""Random kernel programs in which values may rest on themselves, and all their executions without any rule.

The twin lets each read return each value of a small set, whatever anybody writes; what does not fit together is thrown
away when threads are joined. So a value out of thin air is an execution like any other.

    python tests/enumerate/guessing.py --programs 3000 --seed 1
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from fencepost.enumerate import enumeration
from fencepost.enumerate.enumeration import Found, enumerate_all
from fencepost.enumerate.facts import NOTHING, Alternatives
from fencepost.enumerate.traces import Location, Path, ThreadRunner
from fencepost.errors import UnsupportedError
from fencepost.models.registry import find
from fencepost.program.layout import HEAP
from fencepost.program.program import Program
from fencepost.program.reader import read_program

BLOCK = HEAP | 16  # where the first thread's first object is
NEXT = BLOCK + 48
_CELLS = ("&x", "&y", "&z")
_LOCKED = ("blocking_cas &lock, 0, 1 size=4 mode=acq lock=true tag=lock", "store &lock, 0 size=4 mode=rel tag=unlock")


class Guessing(ThreadRunner):
    """Each read returns each value, whether or not anybody writes it."""

    def _readable(self, location: Location, path: Path) -> dict[int, Alternatives]:
        name = self.machine.layout.find(location[0])
        values = (0, 1) if location[1] == 4 else (0, BLOCK) if name and name[0].name == "p" else (0, 1, 2)
        return dict.fromkeys(values, NOTHING)


class Writer:
    """The text of one thread. `%p` is where the object in memory is, once it is known."""

    def __init__(self, choose: random.Random) -> None:
        self.choose, self.lines, self.read, self.labels = choose, list[str](), list[str](), 0
        self.pointer = ""

    def text(self, name: str, parameters: str) -> str:
        registers = ", ".join([f"%{r}" for r in ("arg", "p", "q", "t", "a", "b", *(f"r{n}" for n in range(12)))])
        code = "\n".join(f"  {line}" if not line.endswith(":") else f" {line}" for line in self.lines)
        return f"function {name}({parameters}) registers({registers.removeprefix(parameters + ', ')}) {{\n{code}\n}}\n"

    def cell(self) -> str:
        if self.pointer and self.choose.random() < 0.5:
            self.lines.append(f"%q = compute ({self.pointer}, {self.choose.choice((0, 8))}) op=add")
            return "%q"
        return self.choose.choice(_CELLS if self.choose.random() < 0.3 else _CELLS[:2])

    def reads(self) -> None:
        register, cell = f"%r{len(self.read)}", self.cell()
        self.read.append(register)
        self.lines.append(f"{register} = load {cell} mode={self.choose.choice(('na', 'na', 'rlx', 'rlx', 'acq'))}")

    def writes(self) -> None:
        value = self.choose.choice(self.read) if self.read and self.choose.random() < 0.7 else "1"
        mode = self.choose.choice(("na", "na", "na", "na", "rlx", "rel"))
        self.lines.append(f"store {self.cell()}, {value} mode={mode}")

    def decides(self) -> None:
        self.labels += 1
        there, after = f"L{self.labels}", f"M{self.labels}"
        self.lines += [f"%t = compute ({self.choose.choice(self.read)}, 1) op=eq", f"branch %t, {there}, {after}"]
        self.lines.append(f"{there}:")
        self.writes()
        self.lines += [f"jump {after}", f"{after}:"]

    def follows(self) -> None:
        """Looks where the object is."""
        self.labels += 1
        self.lines += [
            f"%p = load &p mode={self.choose.choice(('na', 'rlx', 'acq'))}",
            f"branch %p, G{self.labels}, end",
        ]
        self.lines.append(f"G{self.labels}:")
        self.pointer = "%p"

    def part(self, reads: int, writes: int) -> None:
        steps = [self.reads] * reads + [self.writes] * writes
        if self.choose.random() < 0.4:
            self.choose.shuffle(steps)
        locked = self.choose.random() < 0.35
        self.lines += _LOCKED[:1] if locked else []
        for step in steps:
            if step == self.writes and self.read and self.choose.random() < 0.45:
                step = self.decides
            step()
        self.lines += _LOCKED[1:] if locked else []


def program(choose: random.Random) -> str:
    """Two threads; the first one, which starts them, may do something before, between and after."""
    found, heap, many = (
        ["".join(f"global {n} size=8 align=8\n" for n in "xyzp") + "global lock size=4 align=4\n"],
        choose.random() < 0.5,
        2,
    )
    starts = []
    for n in range(many):
        thread = Writer(choose)
        thread.read += ["%arg"] if (handed := choose.random() < 0.2) else []
        if heap and choose.random() < 0.8:
            thread.follows()
        thread.part(choose.choice((1, 2)), choose.choice((1, 1, 2)))
        back = choose.choice(["_", "_", "_", *thread.read])
        thread.lines += ["jump end", "end:", f"return {back if back != '_' and not thread.pointer else '_'}"]
        found.append(thread.text(f"t{n}", "%arg"))
        starts.append(handed)
    first = Writer(choose)
    if heap:
        first.lines += ["%p = malloc 32", "store &p, %p mode=rel"]
        first.pointer = "%p"
    first.part(choose.choice((0, 0, 1)), choose.choice((0, 1)))
    for n, handed in enumerate(starts):
        first.lines.append(f"%{'ab'[n]} = spawn @t{n}, ({first.read[-1] if handed and first.read else '1'})")
        first.part(choose.choice((0, 0, 0, 1)), choose.choice((0, 0, 0, 1)))
    for n in range(many):
        first.lines.append(f"%r{len(first.read)} = join %{'ab'[n]}")
        first.read.append(f"%r{len(first.read)}")
        first.part(choose.choice((0, 0, 0, 1)), choose.choice((0, 0, 1)))
    first.lines.append("return _")
    head = 'program "guessed" arch=lkmm\n'
    return (
        head
        + "\n".join([*found, first.text("first", "").replace("registers(", "registers(")])
        + "\nthread first = first()\n"
    )


def executions(found: Iterator[Found]) -> set[object]:
    """What tells executions apart."""
    return {_key(f) for f in found}


def _key(found: Found) -> object:
    execution = found.execution
    events = tuple((e.thread, e.kind, e.address, e.value, e.mode) for e in execution.events)
    flags = tuple(sorted((name, pairs) for name, pairs in found.flags.items())) if isinstance(found.flags, dict) else ()
    return (events, tuple(sorted(execution.reads_from.items())), tuple(sorted(execution.coherence.items())),
            found.status, str(flags))  # fmt: skip


@contextmanager
def guessing() -> Iterator[None]:
    with (
        mock.patch.object(enumeration, "ThreadRunner", Guessing),
        mock.patch.object(enumeration, "thin_air", lambda _: False),
        mock.patch.object(enumeration, "cut_off", lambda _: None),
    ):
        yield


def compared(text: str) -> str:
    """`equal`, `refused` where there are more executions than enumeration finds, `needless` where there are not, or
    what is wrong."""
    guessed: Program = read_program(text, "guessed.fpir")
    model = find("lkmm")
    with guessing():
        every = executions(enumerate_all(guessed, model))
    known: set[object] = set()
    try:
        for found in enumerate_all(guessed, model):
            known.add(_key(found))
    except UnsupportedError:
        return "refused" if every - known else "needless"
    return "equal" if known == every else f"lost {len(every - known)}, extra {len(known - every)}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--programs", type=int, default=300)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    counts: dict[str, int] = {}
    for n in range(chosen.seed, chosen.seed + chosen.programs):
        text = program(random.Random(n))
        answer = compared(text)
        counts[answer] = counts.get(answer, 0) + 1
        if answer not in ("equal", "refused", "needless"):
            print(f"seed {n}: {answer}\n{text}", flush=True)
        if n % 50 == 49:
            print(counts, flush=True)
    print(counts)


if __name__ == "__main__":
    main()
