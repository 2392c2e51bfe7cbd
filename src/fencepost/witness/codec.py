"""A witness as JSON data and back. `decode(encode(w, ...)) == w`; docs/json.md describes the form.

The document stands alone: it carries the program in its text form and the source files, so that it can be replayed and
shown on another machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar

from fencepost.errors import InputError
from fencepost.execution.execution import Event, EventKind, Execution, Pair
from fencepost.program.instructions import ErrorKind, FenceKind, Mode
from fencepost.program.operands import Position
from fencepost.program.printer import print_program
from fencepost.program.reader import read_program
from fencepost.verdict import Cured, Edge, ErrorReport, Fix, Step, Witness
from fencepost.witness.relations import Relations
from fencepost.witness.sources import Sources, files_of, sources_of

SCHEMA = "fencepost/witness/1"
_PICKS = ("address_picks", "data_picks", "control_picks")
Json = dict[str, Any]
E_ = TypeVar("E_", bound=Enum)


# --- out


def encode(witness: Witness, sources: Sources | None = None) -> Json:
    """The document of a witness. Derived relations are included for readers; reading back ignores them."""
    x = witness.execution
    derived = Relations(x).named()
    return {
        "schema": SCHEMA,
        "model": witness.model,
        "model_text": witness.model_text,
        "error": encode_error(witness.error),
        "threads": list(x.threads),
        "events": [_event(e) for e in x.events],
        "reads_from": sorted([r, w] for r, w in x.reads_from.items()),
        "coherence": [{"address": a, "writes": list(order)} for a, order in sorted(x.coherence.items())],
        "rmw": _pairs(x.rmw),
        "dependencies": {
            "address": _pairs(x.address_deps), "data": _pairs(x.data_deps), "control": _pairs(x.control_deps),
        } | {pick: _pairs(pairs) for pick in _PICKS if (pairs := getattr(x, pick))},
        "spawns": _pairs(x.spawns),
        "derived": {name: _pairs(derived[name]) for name in ("po", "fr", "sw", "hb", "fence")},
        "outcome": dict(x.outcome),
        "blocked": [{"thread": t, "at": encode_position(at)} for t, at in sorted(x.blocked.items())],
        "cycle": [{"source": e.source, "target": e.target, "name": e.name} for e in witness.cycle],
        "run": [_step(s) for s in witness.run],
        "notes": list(witness.notes),
        "cured": _cured(witness.cure() if witness.cure is not None else None),
        "program": print_program(witness.program) if witness.program is not None else None,
        "sources": (sources or sources_of(witness)).embed(files_of(witness)),
    }  # fmt: skip


def _step(s: Step) -> Json:
    return {"thread": s.thread, "text": s.text, "at": encode_position(s.at), "event": s.event}


def _cured(cured: Cured | None) -> Json | None:
    if cured is None:
        return None
    fixes = [
        {"at": encode_position(f.at), "operation": f.operation, "mode": f.mode.value if f.mode is not None else None,
         "fences": [k.value for k in f.fences], "before": f.before, "after": f.after}
        for f in cured.fixes
    ]  # fmt: skip
    return {"bounded": cured.bounded, "robust": cured.robust, "fixes": fixes, "cautions": list(cured.cautions)}


def encode_error(error: ErrorReport) -> Json:
    return {
        "kind": error.kind.value, "message": error.message, "at": encode_position(error.at), "thread": error.thread,
        "events": list(error.events),
    }  # fmt: skip


def encode_position(at: Position | None) -> Json | None:
    return {"file": at.file, "line": at.line, "column": at.column} if at is not None else None


def _pairs(pairs: frozenset[Pair]) -> list[list[int]]:
    return sorted([a, b] for a, b in pairs)


def _event(e: Event) -> Json:
    return {
        "id": e.id, "thread": e.thread, "index": e.index, "kind": e.kind.value, "address": e.address, "size": e.size,
        "value": e.value, "mode": e.mode.value, "fence": e.fence.value if e.fence is not None else None,
        "rmw": e.rmw, "exclusive": e.exclusive, "at": encode_position(e.at),
    }  # fmt: skip


# --- in


def decode(document: object, file: str = "<witness>") -> tuple[Witness, Sources]:
    """The witness of a document, or of a verdict that contains one. Raises InputError where it is not one."""
    data = _object(document, "the document", file)
    if data.get("schema") != SCHEMA and isinstance(data.get("witness"), dict):
        data = data["witness"]
    if "verdict" in data and data.get("witness", 0) is None:
        raise InputError(f"this verdict is {data['verdict']} and has no witness", file=file, expected="a FAIL")
    if data.get("schema") != SCHEMA:
        found = repr(data.get("schema")) if "schema" in data else "a document without one"
        hint = "write one with: fencepost check FILE --json > witness.json"
        raise InputError(f"found schema {found}", file=file, expected=repr(SCHEMA), hint=hint)
    try:
        return _witness(data), Sources(data["sources"])
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as problem:
        what = f"{problem} is missing" if isinstance(problem, KeyError) else str(problem)
        raise InputError(f"this is not a witness: {what}", file=file, expected="the form of docs/json.md") from None


def _object(document: object, what: str, file: str) -> Json:
    if not isinstance(document, dict):
        raise InputError(f"{what} is {type(document).__name__}", file=file, expected="a JSON object")
    return document


def _witness(data: Json) -> Witness:
    execution = Execution(
        events=tuple(_read_event(e) for e in data["events"]),
        reads_from={int(r): int(w) for r, w in data["reads_from"]},
        coherence={int(c["address"]): tuple(int(w) for w in c["writes"]) for c in data["coherence"]},
        rmw=_read_pairs(data["rmw"]),
        address_deps=_read_pairs(data["dependencies"]["address"]),
        data_deps=_read_pairs(data["dependencies"]["data"]),
        control_deps=_read_pairs(data["dependencies"]["control"]),
        spawns=_read_pairs(data["spawns"]),
        threads=tuple(str(t) for t in data["threads"]),
        outcome={str(k): int(v) for k, v in data["outcome"].items()},
        blocked={int(b["thread"]): read_position(b["at"]) for b in data["blocked"]},
    ).depending({pick: _read_pairs(data["dependencies"].get(pick, [])) for pick in _PICKS})
    _check_ids(data, execution)
    return Witness(
        execution,
        read_error(data["error"]),
        str(data["model"]),
        cycle=tuple(Edge(int(e["source"]), int(e["target"]), str(e["name"])) for e in data["cycle"]),
        run=tuple(Step(int(s["thread"]), str(s["text"]), read_position(s["at"]), s["event"]) for s in data["run"]),
        notes=tuple(str(n) for n in data["notes"]),
        program=read_program(data["program"], "<witness program>") if data["program"] is not None else None,
        model_text=str(data.get("model_text", "")),
        cure=_read_cured(data.get("cured")),
    )


def _read_cured(data: Json | None) -> Cured | None:
    if data is None:
        return None
    fixes = tuple(
        Fix(
            read_position(f["at"]), str(f["operation"]), _member(Mode, f["mode"]) if f["mode"] is not None else None,
            tuple(_member(FenceKind, k) for k in f["fences"]), str(f.get("before", "")), str(f.get("after", "")),
        )
        for f in data["fixes"]
    )  # fmt: skip
    cautions = tuple(str(c) for c in data.get("cautions", ()))
    return Cured(fixes, bool(data["bounded"]), bool(data["robust"]), cautions)


def _check_ids(data: Json, x: Execution) -> None:
    """Every number that names an event must name one: everything downstream indexes by it."""
    given = (x.rmw, x.address_deps, x.data_deps, x.control_deps, x.spawns, x.reads_from.items())
    named = [i for pairs in given for pair in pairs for i in pair]
    named += [w for order in x.coherence.values() for w in order] + [int(i) for i in data["error"]["events"]]
    named += [int(e[end]) for e in data["cycle"] for end in ("source", "target")]
    named += [int(s["event"]) for s in data["run"] if s["event"] is not None]
    wrong = [i for i in named if not 0 <= i < len(x.events)]
    if wrong:
        raise ValueError(f"there is no event {wrong[0]}")
    if [e.id for e in x.events] != list(range(len(x.events))):
        raise ValueError("events are not numbered 0, 1, 2, ...")


def _member(kind: type[E_], value: object) -> E_:
    for member in kind:
        if member.value == value:
            return member
    raise ValueError(f"{value!r} is not one of {', '.join(str(m.value) for m in kind)}")


def read_error(data: Json) -> ErrorReport:
    kind = _member(ErrorKind, data["kind"])
    events = tuple(int(e) for e in data["events"])
    return ErrorReport(kind, str(data["message"]), read_position(data["at"]), int(data["thread"]), events)


def read_position(data: Mapping[str, Any] | None) -> Position | None:
    return Position(str(data["file"]), int(data["line"]), int(data["column"])) if data is not None else None


def _read_pairs(data: list[list[int]]) -> frozenset[Pair]:
    return frozenset((int(a), int(b)) for a, b in data)


def _read_event(data: Json) -> Event:
    fence = _member(FenceKind, data["fence"]) if data["fence"] is not None else None
    return Event(
        int(data["id"]), int(data["thread"]), int(data["index"]), _member(EventKind, data["kind"]),
        int(data["address"]), int(data["size"]), int(data["value"]), _member(Mode, data["mode"]), fence,
        bool(data["rmw"]), bool(data["exclusive"]), read_position(data["at"]),
    )  # fmt: skip
