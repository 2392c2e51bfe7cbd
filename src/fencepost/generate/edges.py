"""The edges that cycles are made of, with the names that diy gives them.

Rfe Fre Coe (also Wse)      another thread reads from, is read before, is coherence-after
Rfi Fri Coi (also Wsi)      the same inside one thread
PodWR PosRR                 program order to a different or to the same location, with the two directions
SyncdWW DMB.SYdWR ...       a fence in between, d or s and directions as for Po; which fences: by architecture
DpAddrdR DpDatadW DpCtrldW  dependencies from a read; DpCtrlIsyncdR and its like add the instruction barrier
Rmw                         the two halves of a read-modify-write
PodWWPL RfeLA               two annotations at the end: of the source and of the target; P is plain
PodWWPX RfeXP               X: half of an exclusive pair (lwarx/stwcx., LDXR/STXR, lr/sc) that succeeds
Pod**                       a star stands for either direction: its neighbours decide
"""

from __future__ import annotations

import re
from dataclasses import replace

from fencepost.errors import UsageError
from fencepost.generate.vocabulary import Vocabulary
from fencepost.records import dataclass

COMMUNICATION = {"Rf": ("W", "R"), "Fr": ("R", "W"), "Co": ("W", "W"), "Ws": ("W", "W")}
_COMMUNICATION = re.compile(r"(Rf|Fr|Co|Ws)([ei])")
_PLACE = re.compile(r"([ds])([RW*])([RW*])")
_DEPENDENCY = re.compile(r"Dp(Addr|Data|Ctrl)([A-Z][a-z]+)?([ds])([RW*])")


@dataclass(frozen=True, slots=True)
class Edge:
    """`kind`: Rf, Fr, Co, Po, Rmw, Fence, Addr, Data or Ctrl. `fence` names the fence, or the barrier after a branch.
    Directions are R, W or *; annotations are "" where none is given."""

    name: str
    kind: str
    source: str
    target: str
    external: bool = False
    same_location: bool = True
    fence: str = ""
    source_annotation: str = ""
    target_annotation: str = ""

    @property
    def short(self) -> str:
        """Its part in the name of a test: `sync`, `addr`, `po`, `rfi`, with the annotations where one is not plain."""
        base = {"Rf": "rfi", "Fr": "fri", "Co": "wsi", "Po": "po", "Rmw": "rmw", "Fence": self.fence.lower()}.get(
            self.kind, self.kind.lower() + (self.fence.lower() if self.kind == "Ctrl" else "")
        )
        same = "s" if self.same_location and self.kind in ("Po", "Fence", "Addr", "Data", "Ctrl") else ""
        annotations = (self.source_annotation or "P") + (self.target_annotation or "P")
        return base + same + ("" if set(annotations) == {"P"} else annotations.lower())


@dataclass(frozen=True, slots=True)
class Annotation:
    """A word of a cycle that is no edge: it annotates the event between its neighbours."""

    name: str


def parse_edge(word: str, vocabulary: Vocabulary) -> Edge | Annotation:
    """One word of a cycle."""
    if word in vocabulary.annotations or word == "P":
        return Annotation(word)
    edge, rest = _base(word, vocabulary)
    if edge is None:
        raise UsageError(f"unknown edge '{word}' for {vocabulary.arch}; {_known(vocabulary)}")
    if not rest:
        return edge
    for first in sorted(("P", *vocabulary.annotations), key=len, reverse=True):
        if rest.startswith(first) and rest[len(first) :] in ("P", *vocabulary.annotations):
            return replace(edge, source_annotation=first, target_annotation=rest[len(first) :])
    raise UsageError(
        f"unknown annotations '{rest}' in '{word}': two are expected, of P, {', '.join(vocabulary.annotations)}"
    )


def _base(word: str, vocabulary: Vocabulary) -> tuple[Edge | None, str]:
    if m := _COMMUNICATION.match(word):
        source, target = COMMUNICATION[m[1]]
        return Edge(m[0], m[1].replace("Ws", "Co"), source, target, m[2] == "e"), word[m.end() :]
    if word.startswith("Rmw"):
        return Edge("Rmw", "Rmw", "R", "W"), word[3:]
    if m := _DEPENDENCY.match(word):
        barrier = m[2] or ""
        if barrier and (m[1] != "Ctrl" or barrier != vocabulary.branch_barrier):
            return None, ""
        target = "W" if m[1] == "Data" and m[4] == "*" else m[4]
        if m[1] == "Data" and target == "R":
            return None, ""
        return Edge(m[0], m[1], "R", target, False, m[3] == "s", barrier), word[m.end() :]
    for name in ("Po", *sorted(vocabulary.fences, key=len, reverse=True)):
        if word.startswith(name) and (m := _PLACE.match(word, len(name))):
            kind = "Po" if name == "Po" else "Fence"
            fence = "" if kind == "Po" else name
            return Edge(m.string[: m.end()], kind, m[2], m[3], False, m[1] == "s", fence), word[m.end() :]
    return None, ""


def _known(vocabulary: Vocabulary) -> str:
    barrier = f" DpCtrl{vocabulary.branch_barrier}dR" if vocabulary.branch_barrier else ""
    fences = " ".join(f"{name}dWW" for name in vocabulary.fences)
    dependencies = f" DpAddrdR DpDatadW DpCtrldW{barrier}" if vocabulary.dependencies else ""
    return f"known are Rfe Fre Coe Rfi Fri Coi Rmw PodRW PosRW{dependencies} {fences}".strip()
