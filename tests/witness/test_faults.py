"""Errors of memory and of locks are told by what was touched, not by addresses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fencepost
from fencepost.report.text import render

SPAWN = "thread main { p := malloc(16); p[0].na := 1; at.rel := p; free(p) }"
CASES = {
    "past": ("var a[2]\nthread P { i := choose(0..2); a[i] := 1 }",
             "access out of bounds: a[2], past the end of a (2 elements)",
             "Thread P accesses a[2], past the end of a (2 elements). Thread P runs into it on its own."),
    "before": ("var a[2]\nthread P { i := choose(-1..1); a[i] := 1 }",
               "access out of bounds: a[-1], before the start of a", "Thread P accesses a[-1], before the start of a."),
    "across": ("var x\nthread P { p := &x; r := [p + 4] }",
               "access out of bounds: 8 bytes at x+4, past the end of x (8 bytes)", "Thread P accesses 8 bytes at x+4"),
    "heap": ("thread P { p := malloc(8); p[1] := 1; free(p) }",
             "access out of bounds: heap#1+8, past the end of heap#1 (8 bytes)", "Thread P accesses heap#1+8"),
    "null": ("var p\nthread P { q := p; r := [q] }", "null pointer dereferenced", "thread P read p = 0"),
    "freed": (f"var at\n{SPAWN}\nthread Q {{ q := at.acq; if q != 0 {{ r := q[0].na }} }}", "use after free: heap#1",
              "Thread Q reads heap#1 (freed.fp:3), which thread main"),
    "twice": ("thread P { p := malloc(8); free(p); free(p) }", "memory freed twice: heap#1",
              "Thread P frees heap#1 (twice.fp:1), which thread P had freed already (twice.fp:1)."),
    "unset": ("thread P { p := malloc(8); r := [p]; free(p) }", "read of uninitialised memory: heap#1",
              "Thread P reads heap#1 (unset.fp:1), which nobody has written since it was allocated (unset.fp:1)."),
    "leak": ("thread P { p := malloc(8); q := malloc(8); free(p) }", "memory leak: heap#2 is never freed",
             "Never freed: heap#2 (leak.fp:1)."),
    "nobody": ("mutex m\nthread P { unlock(m) }", "unlock of a mutex that is not held: m",
               "Thread P unlocks m (nobody.fp:2), which nobody holds."),
    "other": ("mutex m\nvar x\nthread P { lock(m); x.rel := 1 }\nthread Q { if x.acq == 1 { unlock(m) } }",
              "unlock of a mutex that is not held: m",
              "Thread Q unlocks m (other.fp:4), which thread P holds (other.fp:3)."),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("model", ["rc11", "power"])
def test_the_thing_is_named(name: str, model: str, tmp_path: Path) -> None:
    program, title, why = CASES[name]
    file = tmp_path / f"{name}.fp"
    file.write_text(program)
    verdict = fencepost.check(file, model=model, leaks=name == "leak")
    text = render(verdict)
    assert text.startswith(f" FAIL  {title} under {model}  ")
    assert why in re.sub(r"\s+", " ", text)
    marked = [line for line in text.splitlines() if "✗" in line]
    assert marked and not any("chooses" in line for line in marked)


def test_a_verdict_without_a_witness_is_not_replayed(tmp_path: Path) -> None:
    file = tmp_path / "v.json"
    file.write_text('{"schema": "fencepost/verdict/1", "verdict": "PASS", "witness": null}')
    with pytest.raises(fencepost.errors.InputError, match="this verdict is PASS and has no witness; expected a FAIL"):
        fencepost.replay(file)


@pytest.mark.parametrize("model", ["rc11", "wrc11", "power"])
def test_a_deadlock_names_who_holds_what_with_and_without_coherence(model: str, tmp_path: Path) -> None:
    file = tmp_path / "locks.fp"
    file.write_text(
        "mutex a, b\nthread P { lock(a); lock(b); unlock(b); unlock(a) }\n"
        "thread Q { lock(b); lock(a); unlock(a); unlock(b) }\n"
    )
    text = re.sub(r"\s+", " ", render(fencepost.check(file, model=model)))
    assert "Thread P waits for the lock b (locks.fp:2), which thread Q holds (locks.fp:3);" in text
    assert "thread Q waits for the lock a (locks.fp:3), which thread P holds (locks.fp:2)." in text


def test_a_variable_without_a_value_is_told_and_not_what_was_read_before(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text("int zero;\nint main(void) { int x; if (zero) x = 1; if (x) zero = 2; return 0; }\n")
    text = render(fencepost.check(file))
    assert text.startswith(" FAIL  read of uninitialised memory: the variable x is read and has no value under rc11  ")
    assert [line for line in text.splitlines() if "✗" in line and "zero" in line] == []
