"""One run of the playground, in a process of its own: a question as JSON on standard input, answers as lines of JSON on
standard output (`progress`, `row`, `result` or `error`).

    python -P -m fencepost.serve.child FOLDER
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from fencepost import api
from fencepost.errors import FencepostError, InputError
from fencepost.public import Program
from fencepost.records import dataclass
from fencepost.report import html, text
from fencepost.report.json import verdict_data
from fencepost.serve.confine import confine, limit, readable
from fencepost.serve.policy import check_c, check_cat, check_flags
from fencepost.verdict import Estimate, Outcomes, Verdict

SUFFIXES = {"c": ".c", "cpp": ".cpp", "fp": ".fp", "litmus": ".litmus"}
OWN_MODEL = "my.cat"  # stands for the model in the editor
_EVERY = 0.2  # seconds between two lines of progress
_SHOWN_GLOBALS = 6


@dataclass(frozen=True, slots=True)
class Question:
    """What the browser asks. `models`: one for `check`, several for `outcomes` and `compare`."""

    action: str
    language: str
    text: str
    models: tuple[str, ...]
    cat: str = ""
    flags: tuple[str, ...] = ()
    observe: tuple[str, ...] = ()
    unroll: int | None = None
    seconds: float = 30.0
    mebibytes: int = 1024


def main() -> None:
    folder = Path(sys.argv[1])
    asked: dict[str, Any] = json.load(sys.stdin)
    question = Question(**asked | {k: tuple(v) for k, v in asked.items() if isinstance(v, list)})
    limit(seconds=question.seconds, mebibytes=question.mebibytes)
    os.chdir(folder)
    confine(folder, readable())
    try:
        _answer(question)
    except FencepostError as error:
        _say("error", _error(error))
    except MemoryError:
        _say("error", {"message": f"stopped: the run needs more than {question.mebibytes} MiB of memory"})


def _answer(question: Question) -> None:
    program = _read(question)
    models = [_model(name, question) for name in question.models]
    if question.action == "check":
        _say("result", _checked(_check(program, models[0], question)))
    elif question.action == "outcomes":
        observe = question.observe or _globals(program)
        for shown, model in zip(question.models, models, strict=True):
            found = api.outcomes_by_model(
                program, [model], observe=observe, unroll=question.unroll, time_limit=question.seconds,
                memory=question.mebibytes,
            )[model]  # fmt: skip
            _say("row", _outcomes(found) | {"model": shown})
        _say("result", {"hint": api.how_to_observe(program) if not observe else ""})
    else:
        for shown, model in zip(question.models, models, strict=True):
            _say("row", _checked(_check(program, model, question)) | {"model": shown})
        _say("result", {})


def _read(question: Question) -> Program:
    file = f"program{SUFFIXES[question.language]}"
    check_flags(list(question.flags))
    if question.language in ("c", "cpp"):
        check_c(question.text, file)
    Path(file).write_text(question.text, encoding="utf-8")
    return api.read(file, flags=question.flags)


def _model(name: str, question: Question) -> str:
    """A name of ours, or the file with the text of the editor; never a path."""
    if name == OWN_MODEL:
        check_cat(question.cat, OWN_MODEL)
        Path(OWN_MODEL).write_text(question.cat, encoding="utf-8")
        return OWN_MODEL
    if name.partition("@")[0] not in api.model_names():
        raise InputError(f"there is no model {name!r}", file="model", expected=" or ".join(api.model_names()))
    return name


def _check(program: Program, model: str, question: Question) -> Verdict:
    last = 0.0

    def progress(visited: int, seconds: float, estimate: Estimate | None) -> None:
        nonlocal last
        if time.monotonic() - last >= _EVERY:
            last = time.monotonic()
            share = min(visited / estimate.executions, 0.99) if estimate is not None and estimate.executions else None
            _say("progress", {"model": model, "executions": visited, "seconds": round(seconds, 1), "share": share})

    return api.check(
        program, progress=progress, model=model, unroll=question.unroll, time_limit=question.seconds,
        memory=question.mebibytes,
    )  # fmt: skip


def _checked(verdict: Verdict) -> dict[str, object]:
    data = verdict_data(verdict)
    marks = [
        {"line": e.at.line, "column": e.at.column, "message": text.error_text(e)}
        for e in verdict.errors
        if e.at is not None and e.at.file.startswith("program.")
    ]
    kept = ("verdict", "reason", "model", "executions", "blocked", "seconds", "warnings", "explanation")
    page = html.render(verdict) if verdict.witness is not None else None
    return {k: data[k] for k in kept} | {"marks": marks, "page": page, "text": text.render(verdict)}


def _outcomes(found: Outcomes) -> dict[str, object]:
    return {
        "states": [[dict(state), count] for state, count in found.states.items()], "holds": found.holds,
        "executions": found.executions, "reason": found.reason, "seconds": round(found.seconds, 3),
        "errors": [text.error_text(e) for e in found.errors],
    }  # fmt: skip


def _globals(program: Program) -> list[str]:
    """What a C program's outcomes show, where nobody said what to look at."""
    return api.observable(program)[:_SHOWN_GLOBALS] if not program.observations else []


def _error(error: FencepostError) -> dict[str, object]:
    if isinstance(error, InputError):
        hint = "; ".join(part for part in (error.expected and f"expected {error.expected}", error.hint) if part)
        where = {"line": error.line, "column": error.column, "file": Path(error.file).name}
        return {"message": error.message, "hint": hint} | where
    return {"message": str(error)}


def _say(kind: str, data: dict[str, object]) -> None:
    print(json.dumps({kind: data}), flush=True)


if __name__ == "__main__":
    main()
