"""The benchmark command: it lists, measures, finds what is wrong, and compares with an earlier run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from bench import peers  # noqa: E402 - needs the path above
from bench.measure import run_once  # noqa: E402
from bench.plot import line_plot  # noqa: E402
from bench.report import compare, markdown  # noqa: E402
from bench.suites import Case, bounded, robustness  # noqa: E402


def row(case: str, best: float, **more: object) -> dict[str, object]:
    base = {"case": case, "best": best, "spread": 0.02, "memory": 30.0, "result": "PASS", "executions": 8, "peers": {},
            "seconds": best, "series": "", "x": None, "target": 1.0, "paper": None}  # fmt: skip
    return base | more


def results(*rows: dict[str, object]) -> dict[str, object]:
    machine = {"cpu": "c", "processors": 2, "python": "3", "date": "d"}
    return {"machine": machine, "repeats": 3, "suites": {"s": list(rows)}}


def test_every_suite_is_listed() -> None:
    done = subprocess.run([sys.executable, str(BENCHMARKS / "run.py"), "--list"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in ("rcmc-tables", "readers(18) rc11", "rsmc-table1", "dekker, fenced", "rocker-fig7", "scaling",
                 "dijkstra safe, 3 contexts, loops 7", "peterson3 unsafe, 7 contexts, loops 8"):  # fmt: skip
        assert name in done.stdout


def test_an_unknown_suite_is_refused() -> None:
    done = subprocess.run([sys.executable, str(BENCHMARKS / "run.py"), "nonsense"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "no suite nonsense" in done.stderr


def test_regressions_beyond_noise_are_flagged() -> None:
    before = results(row("a", 1.0), row("b", 1.0), row("c", 1.0), row("d", 1.0))
    now = results(row("a", 1.05), row("b", 1.6), row("c", 0.5), row("d", 1.0, executions=9))
    lines = compare(now, before)
    assert [line.split()[0] for line in lines] == ["SLOWER", "faster", "CHANGED"]


def test_the_page_says_whether_a_target_is_met(tmp_path: Path) -> None:
    page = markdown(results(row("fast", 0.5), row("slow", 2.0, paper=10.0)), tmp_path)
    assert "| 1.0 met |" in page
    assert "| 1.0 MISSED | 10.0 | 5.0 |" in page
    assert "1 of 2 targets are met" in page and "- slow takes 2.00 s instead of 1.0 s." in page


def test_scaling_gives_plots_and_the_growth(tmp_path: Path) -> None:
    rows = [row(str(n), n / 1000, series="events, rc11", x=n) for n in (10, 100, 1000, 10000)]
    page = markdown(results(*rows), tmp_path)
    assert "grows as the power 1.00" in page
    assert ElementTree.fromstring((tmp_path / "events-time.svg").read_text()).tag.endswith("svg")


def test_a_plot_is_well_formed() -> None:
    root = ElementTree.fromstring(line_plot("a < b", "x", "y", {"one": [(1, 2), (10, 20)]}))
    assert len([e for e in root.iter() if e.tag.endswith("circle")]) == 2


def test_a_case_is_measured(tmp_path: Path) -> None:
    from bench.measure import fencepost, parsed

    program = BENCHMARKS / "programs" / "readers.fp"
    sample = run_once(fencepost("check", str(program), "--json", "--", "-DN=3"), 120)
    assert (sample.code, parsed(sample.output)["executions"]) == (0, 8)
    assert sample.cpu > 0 and sample.memory > 1
    assert json.loads(sample.output)["verdict"] == "PASS"


# --- peers, by stand-ins that print what the real ones print

STAND_INS = {
    "genmc": "echo 'Number of complete executions explored: 8'",
    "nidhuggc": "echo 'Trace count: 8'",
    "herd7": "cat $5 | head -1",
    "cbmc": "grep -c main $2",
}
GIVEN = {
    "genmc": ["--rc11", "--disable-estimation", "--", "-DN=3", "readers.c"],
    "nidhuggc": ["-DN=3", "--", "--power", "readers.c"],
    "herd7": ["-model", "ppc.cat", "-show", "none", "@all"],
    "cbmc": ["--no-standard-checks", "m.c"],
}


@pytest.fixture
def stand_ins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, does in STAND_INS.items():
        script = tmp_path / name
        script.write_text(f'#!/bin/sh\nfor a in "$@"; do basename -- "$a"; done > {tmp_path}/{name}.given\n{does}\n')
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


def case_for(peer: str, folder: Path) -> Case:
    readers = (str(BENCHMARKS / "programs" / "c" / "readers.c"), "-DN=3")
    if peer == "herd7":
        (folder / "list.csv").write_text("PPC/SB.litmus,1\n")
        return Case("litmus", (), listed=str(folder / "list.csv"), model="power")
    if peer == "cbmc":
        return next(c for c in bounded() if c.name.startswith("pgsql_bnd unsafe"))
    return Case("readers", (), c=readers, model="power" if peer == "nidhuggc" else "rc11")


@pytest.mark.parametrize("peer", STAND_INS)
def test_a_peer_is_asked_in_its_own_words(peer: str, stand_ins: Path) -> None:
    found = peers.measure(case_for(peer, stand_ins), 60)
    name = {"nidhuggc": "nidhugg"}.get(peer, peer)
    assert name in found
    assert (stand_ins / f"{peer}.given").read_text().split() == GIVEN[peer]
    if peer in ("genmc", "nidhuggc"):
        assert found[name]["executions"] == 8


@pytest.mark.skipif(shutil.which("spin") is None, reason="spin is not installed")
def test_spin_runs_beside_us() -> None:
    case = next(c for c in robustness() if c.name == "sb")
    found = peers.measure(case, 60)["spin"]
    assert found["executions"] and not found["over"]


def test_a_peer_that_does_not_end_is_stopped_with_its_children() -> None:
    sample = run_once(["sh", "-c", "sleep 300; true"], 0.05)
    assert sample.code == -9 and sample.wall < 5


def test_the_results_page_is_what_the_stored_results_say(tmp_path: Path) -> None:
    stored = json.loads((BENCHMARKS / "results.json").read_text())
    notes = tomllib.loads((BENCHMARKS / "notes.toml").read_text())
    page = markdown(stored, tmp_path, notes, "plots/")
    docs = BENCHMARKS.parent / "docs"
    assert page == (docs / "results.md").read_text(encoding="utf-8"), "python benchmarks/run.py --render"
    for plot in tmp_path.glob("*.svg"):
        assert plot.read_text() == (docs / "plots" / plot.name).read_text()
    assert not any(r["result"].startswith("WRONG") for rows in stored["suites"].values() for r in rows)
