"""Why an outcome can or cannot be: an execution that shows it, or the constraint that each candidate breaks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from pathlib import PurePath

from fencepost.display import show
from fencepost.enumerate.candidates import Candidate
from fencepost.enumerate.enumeration import Status, candidates, status_of
from fencepost.execution.execution import Event, EventKind, Execution
from fencepost.models.cat.explain import NamedEdge, event_fence, explain_violation
from fencepost.models.registry import Model
from fencepost.program.condition import Formula, comparisons, holds
from fencepost.program.instructions import ErrorKind
from fencepost.program.layout import lay_out
from fencepost.program.operands import Const, Position, to_signed
from fencepost.program.program import Program
from fencepost.program.symbols import demangled
from fencepost.records import dataclass
from fencepost.verdict import Edge, ErrorReport, Witness

MAX_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Reason:
    """A constraint that is broken, and the edges that break it."""

    axiom: str
    kind: str
    place: str
    edges: tuple[NamedEdge, ...]


@dataclass(frozen=True, slots=True)
class Forbidden:
    execution: Execution
    reasons: tuple[Reason, ...]


@dataclass(slots=True)
class Explanation:
    """`allowed` shows the outcome; else every candidate that would give it is in `forbidden`. Neither: no candidate
    gives it, whatever the memory does."""

    model: str
    program: Program
    allowed: Execution | None = None
    forbidden: list[Forbidden] = field(default_factory=list)

    def pictures(self) -> tuple[Witness, ...]:
        """What can be drawn: the execution that shows the outcome, or the first candidate with the cycle it breaks."""
        if self.allowed is not None:
            return (self._picture(self.allowed, f"allowed by {self.model}"),)
        return tuple(
            self._picture(f.execution, f"forbidden by {self.model}", _cycle(f.reasons)) for f in self.forbidden[:1]
        )

    def _picture(self, execution: Execution, title: str, cycle: tuple[Edge, ...] = ()) -> Witness:
        return Witness(execution, ErrorReport(ErrorKind.ASSERTION, title), self.model, cycle, program=self.program)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str | None:
        return show(self, "html")

    def text(self) -> str:
        """For a person."""
        return _Teller(self).text()

    def data(self) -> dict[str, object]:
        """For a machine."""
        teller = _Teller(self)
        return {
            "model": self.model,
            "allowed": self.allowed is not None,
            "candidates": len(self.forbidden) + (self.allowed is not None),
            "execution": teller.execution_data(self.allowed) if self.allowed is not None else None,
            "forbidden": [
                {**teller.execution_data(f.execution), "reasons": [_reason_data(r) for r in f.reasons]}
                for f in self.forbidden
            ],
        }


def explain_outcome(program: Program, model: Model, outcome: Formula) -> Explanation:
    """Looks at every candidate that ends in the outcome. Those that break coherence are looked at only where there are
    no others: they explain little."""
    for incoherent in (False, True):
        explanation = Explanation(model.name, program)
        for candidate in _with_outcome(candidates(program, model, incoherent=incoherent), program, outcome):
            reasons = _reasons(candidate, model)
            if not reasons:
                explanation.allowed, explanation.forbidden = candidate.execution(), []
                return explanation
            explanation.forbidden.append(Forbidden(candidate.execution(), reasons))
        if explanation.forbidden:
            break
    return explanation


def _with_outcome(found: Iterable[Candidate], program: Program, outcome: Formula) -> Iterable[Candidate]:
    layout = lay_out(program)
    operands = {c.right for c in comparisons(outcome) if not isinstance(c.right, str)}
    constants = {o: o.value if isinstance(o, Const) else layout.value(o) for o in operands}
    for candidate in found:
        if status_of(candidate) is Status.COMPLETE and holds(outcome, candidate.outcome(), constants):
            yield candidate


def _reasons(candidate: Candidate, model: Model) -> tuple[Reason, ...]:
    judgement = model.judge_structure(candidate.structure)
    return tuple(
        Reason(v.name, v.kind, _place(v.at), explain_violation(model.prepared, candidate.structure, v))
        for v in judgement.violated
    )


def _cycle(reasons: tuple[Reason, ...]) -> tuple[Edge, ...]:
    return tuple(Edge(e.source, e.target, e.name) for e in reasons[0].edges) if reasons else ()


def _place(at: Position) -> str:
    return f"{PurePath(at.file).name}:{at.line}"


def _reason_data(reason: Reason) -> dict[str, object]:
    edges = [{"source": e.source, "target": e.target, "name": e.name, "within": list(e.within)} for e in reason.edges]
    return {"axiom": reason.axiom, "kind": reason.kind, "place": reason.place, "edges": edges}


class _Teller:
    """Words for events and cycles. Events are lettered in the order of threads, as litmus papers do."""

    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation
        self.layout = lay_out(explanation.program)

    def text(self) -> str:
        e = self.explanation
        if e.allowed is not None:
            return f"allowed by {e.model}: this execution shows it\n\n{self.execution(e.allowed)}"
        if not e.forbidden:
            return "impossible: no choice of what reads read gives this outcome, under any model"
        count = len(e.forbidden)
        head = f"forbidden by {e.model}: {count} candidate execution{'s' if count > 1 else ''} would give it; "
        head += "each breaks a constraint"
        shown = [self.forbidden(k, f) for k, f in enumerate(e.forbidden[:MAX_SHOWN], 1)]
        if count > MAX_SHOWN:
            shown.append(f"... and {count - MAX_SHOWN} more")
        return "\n\n".join([head, *shown])

    def forbidden(self, number: int, f: Forbidden) -> str:
        lines = [f"candidate {number}", self.execution(f.execution)]
        for reason in _distinct(f.reasons):
            rule = {"acyclic": "must be acyclic", "irreflexive": "must be irreflexive", "empty": "must be empty"}
            lines.append(f"  breaks {reason.axiom} ({rule.get(reason.kind, reason.kind)}; {reason.place}):")
            lines += self.cycle(f.execution, reason.edges)
        return "\n".join(lines)

    def cycle(self, x: Execution, edges: tuple[NamedEdge, ...]) -> list[str]:
        width = max((len(self.letter(x, e.source)) for e in edges), default=0)
        names = max((len(e.name) for e in edges), default=0)
        lines = []
        for e in edges:
            within = f"   in {' < '.join(reversed(e.within))}" if e.within else ""
            target = self.letter(x, e.target)
            lines.append(f"    {self.letter(x, e.source):{width}}  --{e.name:-<{names}}-->  {target:{width}}{within}")
        return lines

    def execution(self, x: Execution) -> str:
        lines = []
        for thread, name in enumerate(x.threads):
            events = [e for e in x.thread_events(thread) if self.shown(e)]
            lines += [f"  {name if k == 0 else '':{max(map(len, x.threads))}}  {self.event(x, e)}"
                      for k, e in enumerate(events)]  # fmt: skip
        for address, order in x.coherence.items():
            if len(order) > 2:
                lines.append(f"  co {self.location(address)}: " + " -> ".join(self.letter(x, w) for w in order))
        if x.outcome:
            lines.append("  outcome: " + ", ".join(f"{n}={v}" for n, v in x.outcome.items()))
        return "\n".join(lines)

    def shown(self, e: Event) -> bool:
        return e.is_access or e.kind is EventKind.FENCE

    def event(self, x: Execution, e: Event) -> str:
        if e.kind is EventKind.FENCE:
            return f"{self.letter(x, e.id)}: {event_fence(e)}"
        mode = "" if e.mode.value in ("na", "rlx") else f" {e.mode.value}"
        value = to_signed(e.value, 8 * e.size)
        what = f"{'R' if e.is_read else 'W'}{mode} {self.location(e.address)}={value}"
        source = f"   from {self.letter(x, x.reads_from[e.id])}" if e.id in x.reads_from else ""
        return f"{self.letter(x, e.id)}: {what}{source}"

    def letter(self, x: Execution, event: int) -> str:
        e = x.events[event]
        if e.kind is EventKind.INIT:
            return f"init {self.location(e.address)}"
        named = [k.id for k in x.events if k.kind is not EventKind.INIT and self.shown(k)]
        if event not in named:
            return f"e{event}"
        index = named.index(event)
        return chr(ord("a") + index) if index < 26 else f"e{index}"

    def location(self, address: int) -> str:
        found = self.layout.find(address)
        if found is None:
            return f"{address:#x}"
        o, offset = found
        name = demangled(o.name)
        return f"{name}[{offset}]" if offset else name

    def execution_data(self, x: Execution) -> dict[str, object]:
        return {
            "events": [
                {"id": e.id, "thread": e.thread, "text": self.event(x, e) if self.shown(e) else e.kind.value}
                for e in x.events
                if e.kind is not EventKind.INIT
            ],
            "outcome": dict(x.outcome),
        }


def _distinct(reasons: tuple[Reason, ...]) -> list[Reason]:
    """One reason per cycle: a second axiom broken by the same edges adds nothing."""
    kept: dict[frozenset[tuple[int, int]], Reason] = {}
    for reason in reasons:
        kept.setdefault(frozenset((e.source, e.target) for e in reason.edges), reason)
    return list(kept.values())
