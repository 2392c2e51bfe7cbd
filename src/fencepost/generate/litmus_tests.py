"""Litmus tests from cycles: one from its edges, or every critical cycle up to a size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fencepost.errors import UsageError
from fencepost.frontends import read_text
from fencepost.generate.cycles import Cycle, make_cycle, parse_cycle
from fencepost.generate.edges import Annotation, Edge, parse_edge
from fencepost.generate.emitters import emitter
from fencepost.generate.names import name_of
from fencepost.generate.vocabulary import Vocabulary, vocabulary_of
from fencepost.program.program import Program
from fencepost.records import dataclass

#: Relaxations that families are made of where none are given.
DEFAULT_EDGES = {
    "ppc": "Rfe Fre Coe Pod** SyncdRR SyncdRW SyncdWR SyncdWW LwSyncdRR LwSyncdRW LwSyncdWR LwSyncdWW DpAddrdR "
    "DpAddrdW DpDatadW DpCtrldR DpCtrldW DpCtrlIsyncdR",
    "x86": "Rfe Fre Coe Pod** MFencedWR MFencedWW MFencedRR MFencedRW",
    "aarch64": "Rfe Fre Coe Pod** DMB.SYd** DMB.LDdRR DMB.LDdRW DMB.STdWW DpAddrdR DpAddrdW DpDatadW DpCtrldR "
    "DpCtrldW DpCtrlIsbdR PodWWPL PodRRAP PodRWAP PodWRLA PodRWPL PodRRQP",
    "riscv": "Rfe Fre Coe Pod** Fence.rw.rwd** Fence.r.rwdRR Fence.r.rwdRW Fence.rw.wdWW Fence.rw.wdRW Fence.tsodWR "
    "DpAddrdR DpAddrdW DpDatadW DpCtrldR DpCtrldW DpCtrlFenceidR PodWWPRl PodRRAqP PodWRRlAq",
    "c": "Rfe Fre Coe Pod** FenceScd** PodWWRlxRel PodRRAcqRlx PodRWAcqRlx PodRWRlxRel PodWRScSc PodWWScSc PodRRScSc "
    "PodRWScSc",
    "lkmm": "Rfe Fre Coe Pod** Mbd** RmbdRR WmbdWW DpAddrdR DpAddrdW DpDatadW DpCtrldW PodWWOnceRel PodRWOnceRel "
    "PodRRAcqOnce PodRWAcqOnce SyncRcud** Rcud**",
    "fp": "Rfe Fre Coe Pod** FenceScd** PodWWRlxRel PodRRAcqRlx PodRWAcqRlx PodRWRlxRel PodWRScSc PodWWScSc PodRRScSc "
    "PodRWScSc",
}


@dataclass(frozen=True, slots=True)
class LitmusTest:
    """A generated test: `text` is a litmus file, or one in the .fp language."""

    name: str
    arch: str
    cycle: str
    text: str

    @property
    def file_name(self) -> str:
        return f"{self.name}.fp" if self.arch == "fp" else f"{self.name}.litmus"

    def program(self) -> Program:
        return read_text(self.text, self.file_name)


def generate(arch: str, cycle: str, name: str = "") -> LitmusTest:
    """The test whose condition holds exactly where the cycle of edges can happen."""
    vocabulary = vocabulary_of(arch)
    return _test(parse_cycle(cycle, vocabulary), vocabulary, name)


def _test(cycle: Cycle, vocabulary: Vocabulary, name: str = "") -> LitmusTest:
    title = name or name_of(cycle)
    return LitmusTest(title, vocabulary.arch, cycle.text, emitter(vocabulary).test(cycle, title))


def family(arch: str, size: int, edges: str | None = None, *, threads: int | None = None) -> Iterator[LitmusTest]:
    """Every critical cycle of at most `size` edges, once up to rotation, shortest first.

    Critical: a thread has at most two accesses, to different locations; communication in a row is Coe Rfe or Fre Rfe,
    since anything longer is another cycle in disguise."""
    vocabulary = vocabulary_of(arch)
    choices = _choices((edges or DEFAULT_EDGES[vocabulary.arch]).split(), vocabulary)
    names: dict[str, int] = {}
    for length in range(2, size + 1):
        for picked in _cycles(choices, length):
            try:
                cycle = make_cycle(picked, vocabulary)
            except UsageError:
                continue  # these edges fit in a row, but events would be annotated in two ways or never come back
            if cycle.threads < 2 or (threads is not None and cycle.threads > threads):
                continue
            test = _test(cycle, vocabulary)
            number = names.setdefault(test.name, 0)
            names[test.name] += 1
            yield test if not number else _test(cycle, vocabulary, f"{test.name}{number:03d}")


def _choices(words: list[str], vocabulary: Vocabulary) -> list[Edge]:
    """The edges, stars expanded to both directions."""
    found: list[Edge] = []
    for word in words:
        for expanded in _expanded(word):
            edge = parse_edge(expanded, vocabulary)
            if isinstance(edge, Annotation):
                raise UsageError(f"'{word}' is an annotation: a family is made of edges")
            found.append(edge)
    return list(dict.fromkeys(found))


def _expanded(word: str) -> list[str]:
    if "*" not in word:
        return [word]
    return [w for d in "RW" for w in _expanded(word.replace("*", d, 1))]


def _cycles(choices: Sequence[Edge], length: int) -> Iterator[tuple[Edge, ...]]:
    """Closed walks whose neighbours fit, one of each set of rotations."""
    order = {edge: i for i, edge in enumerate(choices)}
    follow = {e: [n for n in choices if _fits(e, n)] for e in choices}

    def extend(walk: tuple[Edge, ...]) -> Iterator[tuple[Edge, ...]]:
        if len(walk) == length:
            if walk[0] in follow[walk[-1]] and _least(tuple(order[e] for e in walk)):
                yield walk
            return
        for edge in follow[walk[-1]]:
            if order[edge] >= order[walk[0]]:
                yield from extend((*walk, edge))

    for first in choices:
        yield from extend((first,))


def _least(walk: tuple[int, ...]) -> bool:
    """Whether no rotation comes earlier."""
    return all(walk <= walk[i:] + walk[:i] for i in range(1, len(walk)))


def _fits(a: Edge, b: Edge) -> bool:
    if a.target != b.source:
        return False
    if a.target_annotation and b.source_annotation and a.target_annotation != b.source_annotation:
        return False
    if a.external and b.external:
        return b.kind == "Rf" and a.kind in ("Co", "Fr")
    return a.external or b.external
