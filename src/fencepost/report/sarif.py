"""SARIF 2.1.0: one result per error; the counterexample is a codeFlow with one threadFlow per thread."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import PurePath
from urllib.parse import quote

from fencepost._version import __version__
from fencepost.program.instructions import BOUNDS, ErrorKind
from fencepost.program.operands import Position
from fencepost.repair.patches import replacements
from fencepost.report.text import error_text
from fencepost.verdict import Answer, ErrorReport, Verdict
from fencepost.witness.names import short_file
from fencepost.witness.sources import Sources, sources_of
from fencepost.witness.story import Moment, Story, tell
from fencepost.witness.titles import TITLES

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_HOME = "https://pypi.org/project/fencepost/"
_FINGERPRINT = "fencepostFinding/v1"
Json = dict[str, object]


def log(verdicts: Sequence[Verdict], sources: Sources | None = None) -> Json:
    """The SARIF log of one run of the tool over these verdicts."""
    results = [r for v in verdicts for r in _results(v, sources)]
    used = {r["ruleId"] for r in results}
    rules = [_rule(kind) for kind in ErrorKind if kind.value in used]
    index = {rule["id"]: i for i, rule in enumerate(rules)}
    for r in results:
        r["ruleIndex"] = index[r["ruleId"]]
    driver = {"name": "fencepost", "version": __version__, "semanticVersion": __version__, "informationUri": _HOME,
              "rules": rules}  # fmt: skip
    complete = all(v.answer is not Answer.UNKNOWN for v in verdicts)
    notes = [{"level": "warning", "message": {"text": v.reason or "the exploration is not complete"}}
             for v in verdicts if v.answer in (Answer.BOUNDED, Answer.UNKNOWN)]  # fmt: skip
    invocation: Json = {"executionSuccessful": complete}
    if notes:
        invocation["toolExecutionNotifications"] = notes
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "invocations": [invocation],
           "results": results}  # fmt: skip
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(kind: ErrorKind) -> Json:
    title = TITLES.get(kind, kind.value.replace("-", " "))
    level = "note" if kind in BOUNDS else "error"
    name = "".join(word.capitalize() for word in title.split())
    text = title[0].upper() + title[1:] + "."
    named = {} if name.lower() == kind.value else {"name": name}  # one that says the same twice is refused by checkers
    return {"id": kind.value, **named, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}


def _results(verdict: Verdict, sources: Sources | None) -> list[Json]:
    witness = verdict.witness
    errors = list(verdict.errors)
    if witness is not None and witness.error not in errors:
        errors.insert(0, witness.error)
    return [_result(e, verdict, sources) for e in errors]


def _result(error: ErrorReport, verdict: Verdict, sources: Sources | None) -> Json:
    story = next((tell(w, sources) for w in verdict.witnesses if w.error == error), None)
    told = story.error if story is not None else error
    text = f"{error_text(told)} under {verdict.model}."
    if story is not None and story.explanation.reason:
        reason = story.explanation.reason
        text += f" {reason[0].upper()}{reason[1:]}."
        text += "".join(f" To prevent it: {r.text}." for r in story.explanation.remedies)
    level = "note" if error.kind in BOUNDS else "error"
    result: Json = {"ruleId": error.kind.value, "level": level, "message": {"text": text}}
    where = told.at if told.at is not None else _any_place(story)
    result["partialFingerprints"] = {_FINGERPRINT: _fingerprint(error, verdict, where, sources)}
    if where is not None:
        result["locations"] = [_location(where)]
    if story is not None:
        result["codeFlows"] = [_code_flow(story)]
        result["properties"] = {"model": verdict.model}
        if fixes := _fixes(story):
            result["fixes"] = fixes
    return result


def _fingerprint(error: ErrorReport, verdict: Verdict, where: Position | None, sources: Sources | None) -> str:
    """The same for the same finding after lines have moved: its kind, its file and the text of its line, not the
    number."""
    texts = sources or sources_of(verdict.witness)
    file = PurePath(where.file).name if where is not None else ""
    line = " ".join(texts.line(where).split()) or error.message
    return sha256("\0".join((error.kind.value, verdict.model, file, line)).encode()).hexdigest()[:32]


def _fixes(story: Story) -> list[Json]:
    """The change that was tried on the whole program, where it is one of orders that stand in the text."""
    cured = story.witness.cure() if story.witness.cure is not None else None
    changes = replacements(cured) if cured is not None else None
    if not changes:
        return []
    files: dict[str, list[Json]] = {}
    for change in changes:
        region = {
            "startLine": change.start.line, "startColumn": change.start.column, "endLine": change.end.line,
            "endColumn": change.end.column,
        }  # fmt: skip
        files.setdefault(change.start.file, []).append(
            {"deletedRegion": region, "insertedContent": {"text": change.new}}
        )  # fmt: skip
    text = " ".join(f"{r.text[:1].upper()}{r.text[1:]}." for r in story.explanation.remedies)
    return [{
        "description": {"text": text},
        "artifactChanges": [{"artifactLocation": {"uri": _uri(f)}, "replacements": r} for f, r in files.items()],
    }]  # fmt: skip


def _any_place(story: Story | None) -> Position | None:
    """A result without a location is shown nowhere: the last step that has one will do."""
    places = [m.at for m in story.moments if m.at is not None] if story is not None else []
    return places[-1] if places else None


def _code_flow(story: Story) -> Json:
    flows = []
    for column in story.columns:
        moments = [m for m in story.moments if m.thread == column.thread]
        flows.append({"id": column.name, "locations": [_flow_location(m) for m in moments]})
    return {"message": {"text": story.explanation.reason or "The execution."}, "threadFlows": flows}


def _flow_location(m: Moment) -> Json:
    text = "; ".join(part for part in (m.text, m.mode, m.detail) if part)
    location: Json = {"message": {"text": f"{m.number}. {text}"}}
    if m.at is not None:
        location |= _location(m.at)
    important = "essential" if m.blamed or "missed" in m.detail else "important"
    return {"location": location, "executionOrder": m.number, "importance": important, "kinds": [m.kind]}


def _location(at: Position) -> Json:
    region: Json = {"startLine": max(at.line, 1)}
    if at.column:
        region["startColumn"] = at.column
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(at.file)}, "region": region}}


def _uri(file: str) -> str:
    shown = short_file(file)
    path = PurePath(file if PurePath(shown).is_absolute() or shown == PurePath(file).name else shown)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
