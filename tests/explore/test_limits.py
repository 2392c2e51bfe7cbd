"""Limits give UNKNOWN with what was counted; executions are handed out."""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest

import fencepost
from fencepost import _core
from fencepost.cli.progress import ProgressLine, _duration
from fencepost.explore.begin import begin
from fencepost.explore.native import native_options
from fencepost.frontends import read_text
from fencepost.models.registry import find
from fencepost.options import CheckOptions
from fencepost.verdict import Answer, Estimate

PROGRAMS = Path(__file__).parent.parent.parent / "benchmarks" / "programs"


def test_an_unfinished_exploration_says_how_much_there_is() -> None:
    verdict = fencepost.check(PROGRAMS / "readers.fp", flags=["-DN=30"], time_limit=1.5, reductions=False)
    assert verdict.answer is Answer.UNKNOWN and verdict.executions > 1_000
    assert verdict.reason.startswith("stopped after 1.5 seconds, of a")  # about, or at least
    estimate = verdict.extra["estimate"]
    assert isinstance(estimate, dict) and estimate["low"] <= 2**30 <= (estimate["high"] or 2**30)
    assert 0 < estimate["share"] < 0.1 and estimate["seconds_left"] > 1


def test_memory_is_limited() -> None:
    verdict = fencepost.check(PROGRAMS / "readers.fp", flags=["-DN=40"], memory=1, time_limit=300, reductions=False)
    assert verdict.answer is Answer.UNKNOWN
    assert verdict.reason.startswith("stopped at 1 MiB of memory")


@pytest.mark.parametrize("limit", [{"max_executions": 5000}, {"time_limit": 0.03}, {"memory": 1}])
def test_every_limit_can_be_resumed_from(tmp_path: Path, limit: dict[str, float]) -> None:
    state, path, flags = str(tmp_path / "state"), PROGRAMS / "casw.fp", ["-DN=6"]
    first = fencepost.check(path, flags=flags, save=state, **limit)
    assert first.answer is Answer.UNKNOWN and first.executions < 1_270_080
    rest = fencepost.check(path, flags=flags, resume=state)
    assert (rest.answer, rest.executions) == (Answer.PASS, 1_270_080)


def test_executions_are_handed_out_as_they_are_found() -> None:
    few = list(islice(fencepost.executions(PROGRAMS / "readers.fp", flags=["-DN=40"]), 1100))
    assert len({x.canonical() for x in few}) == 1100
    everything = list(fencepost.executions(PROGRAMS / "casw.fp", flags=["-DN=3"]))
    assert len({x.canonical() for x in everything}) == len(everything) == 66
    assert len(list(fencepost.executions(PROGRAMS / "casw.fp", max_executions=7))) == 7


def test_the_progress_line(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(ProgressLine, "_show", lambda _, text, seconds: shown.append(text))
    for outlook in (Estimate(6_100, 5_000, 7_000, 0.02, 120), Estimate(None, 5_000, None, 0.5, 2), None):
        ProgressLine().executions(1000, 2.0, outlook)
    assert shown == [
        "[....................]  2 % of about 6,100 (5,000 to 7,000), 2 min left, 1,000 executions, 500 executions/s",
        "1,000 executions, 500 executions/s, at least 5,000 in all",
        "1,000 executions, 500 executions/s",
    ]
    assert [_duration(s) for s in (0, 59, 200, 3600, 90_000, 1e12)] == [
        "0 s", "59 s", "3 min 20 s", "1 h 0 min", "1 days 1 h", "thousands of years",
    ]  # fmt: skip


def test_what_would_take_ages_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """28! executions: without any limit it would be a hang."""
    path = tmp_path / "many.fp"
    path.write_text("var x\nthread T(i in 1..28) { x := i }\n")
    monkeypatch.setattr("fencepost.explore.native.PATIENCE", 0.5)
    verdict = fencepost.check(path)
    assert verdict.answer is Answer.UNKNOWN
    assert "the rest would take ages" in verdict.reason
    assert verdict.extra["estimate"]["low"] > 1e17
    monkeypatch.setattr("fencepost.explore.native.PATIENCE", 0.01)
    small = fencepost.check(PROGRAMS / "casw.fp", flags=["-DN=7"], max_executions=200_000)
    assert small.reason.startswith("stopped after 200000 executions")


def test_many_seq_cst_stores_cost_no_more_than_others(tmp_path: Path) -> None:
    path = tmp_path / "stores.fp"
    path.write_text("var x, y\nthread A { for i in 1..3000 { x.sc := i } }\nthread B { y.sc := 1; r := y.sc }\n")
    verdict = fencepost.check(path)
    assert (verdict.answer, verdict.executions) == (Answer.PASS, 1)
    assert verdict.seconds < 10, "it took minutes when every store was held against all others"


def test_many_short_executions_leave_nothing_behind(tmp_path: Path) -> None:
    """Executions that share most of their way take few steps each: what threads remember is swept all the same."""
    path = tmp_path / "reads.fp"
    reads = "; ".join(f"r{i} := x" for i in range(14))
    path.write_text(f"var x\nthread A(i in 1..6) {{ x := i }}\nthread B {{ {reads} }}\n")
    command = [sys.executable, "-m", "fencepost", "check", str(path), "--max-executions", "150000", "--memory", "220"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "stopped after 150000 executions" in done.stdout, done.stdout


def test_looking_for_a_simpler_story_ends_where_loops_have_no_end() -> None:
    """Under sc every execution of this one goes on until it has too many events."""
    path = Path(__file__).parents[2] / "benchmarks" / "robustness" / "nbw-w-lr-rl.fp"
    before = time.process_time()
    verdict = fencepost.check(path, fix=False)
    assert verdict.answer.value == "FAIL" and verdict.errors[0].at.line == 23
    assert time.process_time() - before < 10, "it took 70 seconds when only executions were counted"


def test_an_estimate_ends_in_time_where_a_loop_goes_on_without_a_choice() -> None:
    endless = "thread P { while a[1].acq != 0 { skip }; while 1 { r := a[0] } }"
    text = f"var a[3]\n{endless}\nthread Q {{ a[1].rel := a[0].acq + 1 }}\n"
    before = time.perf_counter()
    verdict = fencepost.check(read_text(text, "t.fp"), model="armv8", time_limit=1, spin_detection=False)
    assert verdict.answer is Answer.UNKNOWN
    assert time.perf_counter() - before < 30, "samples of thousands of events took minutes"


def test_an_estimate_ends_in_time_where_two_threads_change_a_place_for_ever() -> None:
    """Each exchange is a choice, so thousands of graphs of thousands of events are left: they take a minute to read."""
    spin = "thread T%d { k := XCHG(z, %d); while k != 0 { k := XCHG(z, %d) } }\n"
    program = read_text("var z = 1\n" + "".join(spin % (n, n, n) for n in (1, 2)), "t.fp")
    before = time.process_time()
    verdict = fencepost.check(program, model="sc", time_limit=6)
    assert verdict.answer is Answer.UNKNOWN
    assert time.process_time() - before < 12, "an estimate did not look at the clock while it read what is left"


#: Executions of thousands of events, in which thousands of choices are refused one after the other.
STORES = "thread A { for i in 1..%d { x.sc := i }; y.sc := 1 }"
REFUSED = f"var x, y\n{STORES}\nthread B {{ r := y; fence.sc; s := x.sc; assert(r == 0 || s == %d) }}\n"
EXCHANGED = """var x, y
thread A { for i in 1..1200 { x.sc := i; r := y.sc } }
thread B { for i in 1..1200 { y.sc := i; r := x.sc } }
"""


@pytest.mark.parametrize("model", ["rc11", "wrc11"])
def test_executions_of_thousands_of_events_end_in_time(model: str) -> None:
    before = time.process_time()
    verdict = fencepost.check(read_text(EXCHANGED, "t.fp"), model=model, time_limit=1)
    assert verdict.answer is Answer.UNKNOWN and verdict.reason.startswith("stopped after 1 seconds")
    assert time.process_time() - before < 7, "it took 14 seconds when a read tried all its writes at once"


def test_the_core_looks_at_the_clock_itself() -> None:
    """Nobody else does, where it is asked for a first execution."""
    model = find("wrc11")
    prepared, engine = begin(read_text(EXCHANGED, "t.fp"), model, CheckOptions())
    assert prepared is not None
    first = _core.Exploration(prepared.bytecode, native_options(prepared, model, engine, CheckOptions(), keep=0))
    before = time.process_time()
    assert first.run(0.5, 2**62, 1) is _core.Progress.PAUSED
    first.estimate(0.5)
    assert time.process_time() - before < 5, "it looked after 4096 steps, which took minutes"


@pytest.mark.parametrize("model", ["rc11", "wrc11"])
def test_what_stops_amid_refused_choices_goes_on_there(tmp_path: Path, model: str) -> None:
    program, state = read_text(REFUSED % (560, 560), "t.fp"), str(tmp_path / "state")
    whole = fencepost.check(program, model=model, digest=True)
    part = fencepost.check(program, model=model, digest=True, time_limit=0.1, save=state)
    for _ in range(200):
        if part.answer is not Answer.UNKNOWN:
            break
        part = fencepost.check(program, model=model, digest=True, time_limit=0.2, save=state, resume=state)
    assert whole.answer is Answer.PASS and whole.executions == 562
    assert (part.answer, part.executions, part.extra["digest"]) == (whole.answer, 562, whole.extra["digest"])


#: The same under models whose events come out of program order; every source is allowed, and every place.
ALLOWED = """var x, y
thread A { for i in 1..1200 { x := i; r := y } }
thread B { for i in 1..1200 { y := i; r := x } }
"""


@pytest.mark.parametrize(
    ("model", "text"),
    [("armv8", ALLOWED), ("imm", ALLOWED), ("power", REFUSED % (2000, 2000)), ("riscv", REFUSED % (2000, 2000))],
)
def test_large_graphs_of_hardware_end_in_time(tmp_path: Path, model: str, text: str) -> None:
    state = tmp_path / "state"
    before = time.process_time()
    verdict = fencepost.check(read_text(text, "t.fp"), model=model, time_limit=1, save=str(state))
    assert verdict.answer is Answer.UNKNOWN and verdict.reason.startswith("stopped after 1 seconds")
    assert time.process_time() - before < 6, "one step tried every choice, and each graph was saved in full"
    assert state.stat().st_size < 2**25, "what was left took gigabytes when each event had its way from the start"


@pytest.mark.parametrize("model", ["armv8", "imm"])
def test_large_graphs_of_hardware_go_on_where_they_stopped(tmp_path: Path, model: str) -> None:
    program, state = read_text(REFUSED % (270, 270), "t.fp"), str(tmp_path / "state")
    whole = fencepost.check(program, model=model, digest=True)
    part = fencepost.check(program, model=model, digest=True, time_limit=0.05, save=state)
    for n in range(100):  # what takes longer than the limit is begun anew: it must grow
        if part.answer is not Answer.UNKNOWN:
            break
        part = fencepost.check(program, model=model, digest=True, time_limit=0.05 * 1.1**n, save=state, resume=state)
    assert whole.answer is Answer.PASS and whole.executions == 272
    assert (part.answer, part.executions, part.extra["digest"]) == (whole.answer, 272, whole.extra["digest"])


def test_a_story_of_thousands_of_events_is_confirmed_in_time() -> None:
    text = "var x, y, l\nthread A { for i in 1..3000 { x := i }; y := 1 }\nthread B { wait(l == 1) }\n"
    before = time.process_time()
    verdict = fencepost.check(read_text(text, "t.fp"), model="armv8", time_limit=60)
    assert verdict.answer is Answer.FAIL
    assert time.process_time() - before < 8, "relations of thousands of events were composed pair by pair"
