"""The proof of a verdict: the SC run up to the divergence, and the graph of the weaker model that SC cannot have.

Nothing is taken on trust from the search. The graph is rebuilt from the steps, the diverging event is placed behind
older writes of its location one after the other, and the first graph that the weaker model's `.cat` file allows and
SC's forbids is the witness. If there is none, the search was wrong, and says so.
"""

from __future__ import annotations

from dataclasses import replace

from fencepost._core import ErrorFound, LabelKind, RobustnessSearch, TraceStep
from fencepost.errors import InternalError
from fencepost.execution.execution import EventKind, Execution
from fencepost.models.registry import find
from fencepost.prepare.encoded import Prepared
from fencepost.program.datatypes import path_at
from fencepost.program.instructions import ErrorKind, Mode
from fencepost.program.operands import Position, to_signed
from fencepost.program.symbols import demangled
from fencepost.robustness.graph import Graph, Label, hb_sc_cycle
from fencepost.verdict import Edge, ErrorReport, Step, Witness


def divergence(search: RobustnessSearch, prepared: Prepared, against: str) -> Witness:
    steps, label = _labels(search.trace(), prepared), Label.of(search.offending(), prepared)
    run = Graph.of_run(prepared, steps, label)
    for behind in reversed(run.coherence[label.address][:-1]):
        old = run.events[behind].value
        effect = search.effect(old)
        if not effect.allowed:
            continue
        graph = run.copy()
        mode = label.failure if label.kind is LabelKind.CAS and not effect.writes else label.mode
        done = replace(label, mode=mode, reads=True, read=old, writes=effect.writes, written=effect.written)
        event = graph.add(done, behind)
        execution = graph.execution()
        if _allows(against, execution) and not _allows("sc", execution):
            return _witness(against, steps, label, graph, event, behind)
    raise InternalError(f"{label.at}: the search says that {against} diverges here, but no graph shows it")


def _labels(trace: list[TraceStep], prepared: Prepared) -> list[Label]:
    return [Label.of(step, prepared) for step in trace]


def _allows(model: str, execution: Execution) -> bool:
    return find(model).judge(execution, all_violations=False).consistent


def _witness(against: str, steps: list[Label], label: Label, graph: Graph, event: int, behind: int) -> Witness:
    x, name = graph.execution(), _name(graph.prepared, label.address)
    old = _number(graph.events[behind].value)
    last = graph.events[next(w for w in reversed(graph.coherence[label.address]) if w != event)]
    new, here, there = _number(last.value), _place(label.at), _place(last.at)
    if x.events[event].is_write:
        what = f"the write of {name} at {here} may come right behind the older {old}, before the {new} of {there}"
    else:
        what = f"the read of {name} at {here} may still return {old}, though {new} was stored later at {there}"
    error = ErrorReport(ErrorKind.NOT_ROBUST, f"not robust against {against}", label.at, label.thread, (event,))
    run = (*_run(steps, graph), Step(label.thread, what, label.at, event))
    cycle = hb_sc_cycle(x)
    return Witness(x, error, against, cycle, run, (what, _round(x, cycle, graph.prepared)), graph.prepared.program)


def _round(x: Execution, cycle: tuple[Edge, ...], prepared: Prepared) -> str:
    """The cycle of hbSC in words: each event before the next, for the reason that the edge names."""
    told: list[str] = []
    for edge in cycle:
        e = x.events[edge.source]
        verb = "the initial value of" if e.thread < 0 else "the write of" if e.is_write else "the read of"
        text = f"{verb} {_name(prepared, e.address)}" + (f" at {_place(e.at)}" if e.at else "")
        if e.is_access and text not in told:
            told.append(text)
    return f"sequential consistency would need {', then '.join(told)}, and that before the first again"


def _place(at: Position | None) -> str:
    return f"{at.file.rsplit('/', 1)[-1]}:{at.line}" if at is not None else "the start"


def race(search: RobustnessSearch, prepared: Prepared, against: str) -> Witness:
    """Two conflicting accesses that SC could do next in either order, one of them not atomic."""
    steps = _labels(search.trace(), prepared)
    pair = [Label.of(s, prepared) for s in (search.offending(), search.racing())]
    graph = Graph.of_run(prepared, steps, *pair)
    run, events = _run(steps, graph), []
    for label in sorted(pair, key=lambda s: s.event is EventKind.WRITE):  # the read first: both read the same then
        value = graph.events[graph.coherence[label.address][-1]].value
        events.append(graph.add(replace(label, read=value, writes=label.event is EventKind.WRITE)))
        run.append(Step(label.thread, f"next: {_access(label)} {_name(prepared, label.address)}", label.at, events[-1]))
    x = graph.execution()
    who = " and ".join(f"{_access(s)} in {x.threads[s.thread]} ({s.at})" for s in pair)
    message = f"data race on {_name(prepared, pair[0].address)}: {who}"
    error = ErrorReport(ErrorKind.RACE, message, pair[0].at, pair[0].thread, tuple(sorted(events)))
    notes = ("a program with a race has no meaning under release/acquire",)
    return Witness(x, error, against, (), tuple(run), notes, prepared.program)


def race_by_hb(search: RobustnessSearch, prepared: Prepared, against: str) -> Witness:
    """An access that SC can do next, and an earlier one of another thread that does not happen before it."""
    steps, label = _labels(search.trace(), prepared), Label.of(search.offending(), prepared)
    graph = Graph.of_run(prepared, steps, label)
    run, before = _run(steps, graph), list(graph.events)
    value = graph.events[graph.coherence[label.address][-1]].value
    effect = search.effect(value)
    mode = label.failure if label.kind is LabelKind.CAS and not effect.writes else label.mode
    done = replace(label, mode=mode, reads=True, read=value, writes=effect.writes, written=effect.written)
    event = graph.events[graph.add(done)]
    run.append(Step(label.thread, f"next: {_access(label)} {_name(prepared, label.address)}", label.at, event.id))
    earlier = next(e for e in reversed(before) if e.thread == search.racing().thread and e.conflicts(event))
    x = graph.execution()
    who = f"{_access(label)} in {x.threads[label.thread]} ({label.at})"
    other = f"{'write' if earlier.is_write else 'read'} in {x.threads[earlier.thread]} ({earlier.at})"
    message = f"data race on {_name(prepared, label.address)}: {who} and the earlier {other}"
    error = ErrorReport(ErrorKind.RACE, message, label.at, label.thread, (earlier.id, event.id))
    notes = ("neither access happens before the other, and a program with a race has no meaning",)
    return Witness(x, error, against, (), tuple(run), notes, prepared.program)


def program_error(search: RobustnessSearch, prepared: Prepared, raw: ErrorFound, kind: ErrorKind) -> Witness:
    """An assertion or another error that the program has under SC already."""
    steps = _labels(search.trace_to(raw.state), prepared)
    graph = Graph.of_run(prepared, steps)
    message = prepared.encoded.strings[raw.string] or raw.message or kind.value
    error = ErrorReport(kind, message, prepared.encoded.positions[raw.position], raw.thread)
    return Witness(graph.execution(), error, "sc", (), tuple(_run(steps, graph)), (), prepared.program)


# --- words


def _run(steps: list[Label], graph: Graph) -> list[Step]:
    told, events = [], iter([e for e in graph.events if e.thread >= 0])
    for step in steps:
        event = next(events)
        if event.rmw:
            event = next(events)
        told.append(Step(step.thread, describe(step, graph.prepared), step.at, event.id))
    return told


def describe(s: Label, prepared: Prepared) -> str:
    """A step in a few words."""
    name = _name(prepared, s.address)
    match s.event:
        case EventKind.WRITE:
            return f"{name} := {_number(s.written)}"
        case EventKind.READ if s.writes:
            return f"{name}: {_number(s.read)} → {_number(s.written)}"
        case EventKind.READ:
            return f"{'waits for' if s.kind is LabelKind.AWAIT else 'reads'} {name} = {_number(s.read)}"
        case EventKind.CHOOSE:
            return f"chooses {_number(s.read)}"
        case EventKind.SPAWN:
            return f"starts thread {s.other}"
        case EventKind.JOIN:
            return f"joins thread {s.other}"
    return str(s.event.value)


def _access(s: Label) -> str:
    kind = "write" if s.event is EventKind.WRITE else "read" if s.kind is LabelKind.READ else "update"
    return f"{'non-atomic ' if s.mode is Mode.NA else ''}{kind}"


def _number(value: int) -> str:
    return str(to_signed(value))


def _name(prepared: Prepared, address: int) -> str:
    found = prepared.encoded.layout.find(address)
    if found is None:
        return f"{address:#x}"
    o, offset = found
    name = demangled(o.name)
    if o.type is None:
        return name if o.size <= 8 else f"{name}[{offset // 8}]"
    return f"{name}{path_at(o.type, offset)[0]}"
