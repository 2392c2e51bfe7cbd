"""An exploration is a value: paused, saved, resumed, shared between threads, and wider than one word."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import fencepost
from fencepost.errors import UsageError
from fencepost.verdict import Answer

PROGRAMS = Path(__file__).parent.parent.parent / "benchmarks" / "programs"


def counts(verdict: fencepost.Verdict) -> tuple[int, int]:
    return verdict.executions, verdict.blocked


@pytest.mark.parametrize(
    ("name", "model", "executions"),
    [("casw", "rc11", 1200), ("casrot", "sc", 2048), ("fib_bench", "tso", 2258), ("lastzero-plain", "power", 96)],
)
def test_pausing_and_resuming_changes_no_count(tmp_path: Path, name: str, model: str, executions: int) -> None:
    flags = {"casw": ["-DN=4"], "casrot": ["-DN=8"], "lastzero-plain": ["-DN=5"]}.get(name, [])
    state = str(tmp_path / "state")
    seen = 0
    verdict = fencepost.check(PROGRAMS / f"{name}.fp", flags=flags, model=model, max_executions=37, save=state)
    while verdict.answer is Answer.UNKNOWN:
        assert verdict.executions > seen, "each run should get further"
        seen = verdict.executions
        verdict = fencepost.check(
            PROGRAMS / f"{name}.fp", flags=flags, model=model, max_executions=seen + 301, save=state, resume=state
        )
    assert (verdict.answer, verdict.executions) == (Answer.PASS, executions)


@pytest.mark.parametrize("name", ["casw", "binc", "fib_bench", "lastzero", "readers"])
@pytest.mark.parametrize("model", ["sc", "rc11", "power"])
def test_two_threads_count_like_one(name: str, model: str) -> None:
    path = PROGRAMS / f"{name}.fp"
    assert counts(fencepost.check(path, model=model, jobs=2)) == counts(fencepost.check(path, model=model))


def test_killed_and_resumed(tmp_path: Path) -> None:
    """kill -9 in the middle of a saved run; the resumed run ends with the counts of an undisturbed one."""
    state = tmp_path / "state"
    command = [sys.executable, "-c", "from fencepost.cli import main; main()", "check", str(PROGRAMS / "casw.fp")]
    process = subprocess.Popen([*command, "--save", str(state), "--", "-DN=7"], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not state.exists() and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert state.exists(), "a state should be saved every few seconds"
    verdict = fencepost.check(PROGRAMS / "casw.fp", flags=["-DN=7"], resume=str(state))
    assert (verdict.answer, verdict.executions) == (Answer.PASS, 65_862_720)


def test_a_state_of_another_program_is_refused(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    fencepost.check(PROGRAMS / "casw.fp", save=state)
    with pytest.raises(UsageError, match="another program"):
        fencepost.check(PROGRAMS / "binc.fp", resume=state)
    (tmp_path / "noise").write_bytes(b"\x80\x04noise")
    with pytest.raises(UsageError, match="not a saved exploration"):
        fencepost.check(PROGRAMS / "binc.fp", resume=str(tmp_path / "noise"))


@pytest.mark.parametrize("events", [60, 70, 140, 300, 700])
@pytest.mark.parametrize("model", ["sc", "rc11"])
def test_long_threads_need_wider_rows(tmp_path: Path, events: int, model: str) -> None:
    path = tmp_path / "long.fp"
    path.write_text(
        f"var x, y, z\nthread A {{ for i in 1..{events // 2} {{ x := i }}; z := 1 }}\n"
        f"thread B {{ for i in 1..{events // 2} {{ y := i }}; r := z; s := x }}\n"
    )
    verdict = fencepost.check(path, model=model, max_executions=50)
    assert verdict.executions >= 50 or verdict.answer is Answer.PASS


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("var x\nthread A { L: goto L }", "runs on without end"),
        ("fn f(n) { return f(n + 1) }\nvar x\nthread A { r := f(0) }", "nest too deeply"),
        ("var x\nthread A { while 1 == 1 { x := 1 } }", "too many events"),
        ("var x\nthread A { r := x; s := 1 / r }", "division by zero"),
        ("var x\nthread A { r := [8 + x] }", "null"),
    ],
)
def test_programs_without_an_end(tmp_path: Path, source: str, message: str) -> None:
    path = tmp_path / "bad.fp"
    path.write_text(source + "\n")
    verdict = fencepost.check(path, max_events=200)
    assert verdict.answer in (Answer.FAIL, Answer.UNKNOWN)
    assert message in verdict.reason


def test_executions_that_are_too_long_are_one_reason(tmp_path: Path) -> None:
    path = tmp_path / "long.fp"
    path.write_text("var x\nthread A { while 1 == 1 { x := 1 } }\nthread B { r := x; s := x }\n")
    verdict = fencepost.check(path, max_events=20)
    assert verdict.answer is Answer.UNKNOWN and verdict.reason.count("too many events") == len(verdict.reasons) == 1
    assert "more places" in verdict.reason


def test_two_hundred_threads(tmp_path: Path) -> None:
    path = tmp_path / "many.fp"
    path.write_text("var a[200]\nthread T(i in 1..199) { a[i] := i }\n")
    verdict = fencepost.check(path)
    assert (verdict.answer, verdict.executions) == (Answer.PASS, 1)
