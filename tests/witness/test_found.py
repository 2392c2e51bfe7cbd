"""The analyses themselves find the errors of the samples, and what they return is confirmed, told and replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples import PROGRAMS, program, sources

from fencepost import api
from fencepost.errors import InputError
from fencepost.program.instructions import ErrorKind
from fencepost.report.html import render as render_page
from fencepost.report.json import verdict_data
from fencepost.report.text import render
from fencepost.verdict import Answer, Verdict

FOUND = {
    "race": ("rc11", ErrorKind.RACE, "nothing orders the two, and not both are atomic"),
    "mp": ("rc11", ErrorKind.ASSERTION, "read data = 0 from the initial value although thread writer had stored 42"),
    "power": ("power", ErrorKind.ASSERTION, "then every execution passes"),
    "deadlock": ("rc11", ErrorKind.DEADLOCK, "waits for the lock"),
    "freed": ("rc11", ErrorKind.USE_AFTER_FREE, "nothing makes the free wait for the access"),
    "liveness": ("rc11", ErrorKind.DEADLOCK, "waits for turn == 1"),
    "lost": ("sc", ErrorKind.ASSERTION, "which was lost"),
}


def examine(verdict: Verdict, kind: ErrorKind, phrase: str) -> None:
    assert verdict.answer is Answer.FAIL and verdict.witness is not None
    assert verdict.witness.error.kind is kind
    assert phrase.lower() in " ".join(render(verdict, sources=sources()).lower().split())
    assert render_page(verdict, sources()).startswith("<!doctype html>")
    again, _ = api.replay(json.loads(json.dumps(verdict_data(verdict, sources()))))
    assert again.witness == verdict.witness


@pytest.mark.parametrize("name", FOUND)
def test_check_finds_it(name: str) -> None:
    model, kind, phrase = FOUND[name]
    examine(api.check(program(name), model=model), kind, phrase)


def test_bounded_finds_it() -> None:
    verdict = api.bounded(PROGRAMS / "bounded.fp", contexts="3")
    examine(verdict, ErrorKind.ASSERTION, "then every execution passes")
    assert verdict.witness is not None and len(verdict.witness.run) >= 10


def test_robust_finds_it() -> None:
    verdict = api.robust(PROGRAMS / "robust.fp", against="ra")
    examine(verdict, ErrorKind.NOT_ROBUST, "then the program is robust")
    assert verdict.witness is not None and verdict.witness.cycle and verdict.witness.run


@pytest.mark.parametrize("name", ["mp", "deadlock", "freed"])
def test_c_programs(name: str, tmp_path: Path) -> None:
    """The same from C, through the compiler."""
    text = (PROGRAMS / f"{name}.c").read_text()
    if name == "mp":
        text = text.replace("void writer(void) {", "void *writer(void *_) {").replace(
            "void reader(void)", "void *reader(void *_)"
        )
        text = text.replace("memory_order_relaxed);\n}", "memory_order_relaxed);\n    return 0;\n}")
        text = text.replace("== 42);\n}", "== 42);\n    return 0;\n}")
    threads = {"mp": ("writer", "reader"), "deadlock": ("transfer", "audit")}.get(name, ())
    if threads:
        created = "".join(f"pthread_create(&t{i}, 0, {f}, 0); " for i, f in enumerate(threads))
        joined = "".join(f"pthread_join(t{i}, 0); " for i, _ in enumerate(threads))
        text = f"#include <pthread.h>\n{text}\nint main(void) {{ pthread_t t0, t1; {created}{joined} }}\n"
    file = tmp_path / f"{name}.c"
    file.write_text(text)
    _, kind, phrase = FOUND[name]
    examine(api.check(file, model="rc11"), kind, phrase)


LATE = """var x
thread W { x := 1 }
thread R(i in 1..13) { r := x }
forall ({condition})
"""


@pytest.mark.parametrize("value", [0, 1])
def test_a_condition_that_only_the_last_execution_refutes(value: int, tmp_path: Path) -> None:
    """One of 8192: whichever comes last, it is shown."""
    file = tmp_path / "late.fp"
    file.write_text(LATE.replace("{condition}", " || ".join(f"R{i}:r == {value}" for i in range(1, 14))))
    verdict = api.check(file, model="rc11")
    assert verdict.answer is Answer.FAIL and verdict.witness is not None
    assert {v for n, v in verdict.witness.execution.outcome.items() if n.startswith("R")} == {1 - value}


def test_replay_judges_by_the_users_own_model(tmp_path: Path) -> None:
    """A file named like one of our models, and weaker: its witnesses must replay, wherever."""
    model = tmp_path / "sc.cat"
    model.write_text('"nothing but coherence"\nacyclic po-loc | rf | fr | co as coherence\n')
    verdict = api.check(PROGRAMS / "bounded.fp", model=str(model))
    assert verdict.answer is Answer.FAIL and verdict.witness is not None and verdict.witness.model == "sc"
    data = json.loads(json.dumps(verdict_data(verdict, sources())))
    model.unlink()
    again, _ = api.replay(data)
    assert again.witness == verdict.witness
    data["witness"]["model_text"] = ""
    with pytest.raises(InputError, match="is not one of sc"):
        api.replay(data)
