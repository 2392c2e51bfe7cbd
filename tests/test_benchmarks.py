"""The benchmark command: it lists, measures, finds what is wrong, and compares with an earlier run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from bench.plot import line_plot  # noqa: E402 - needs the path above
from bench.report import compare, markdown  # noqa: E402


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
    for name in ("rcmc-tables", "readers(18) rc11", "rsmc-table1", "dekker, fenced", "rocker-fig7", "scaling"):
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
    assert "| 1.0 MISSED | 10.0 | 5x |" in page


def test_scaling_gives_plots_and_the_growth(tmp_path: Path) -> None:
    rows = [row(str(n), n / 1000, series="events, rc11", x=n) for n in (10, 100, 1000, 10000)]
    page = markdown(results(*rows), tmp_path)
    assert "grows as the power 1.00" in page
    assert ElementTree.fromstring((tmp_path / "events-time.svg").read_text()).tag.endswith("svg")


def test_a_plot_is_well_formed() -> None:
    root = ElementTree.fromstring(line_plot("a < b", "x", "y", {"one": [(1, 2), (10, 20)]}))
    assert len([e for e in root.iter() if e.tag.endswith("circle")]) == 2


def test_a_case_is_measured(tmp_path: Path) -> None:
    from bench.measure import fencepost, parsed, run_once

    program = BENCHMARKS / "programs" / "readers.fp"
    sample = run_once(fencepost("check", str(program), "--json", "--", "-DN=3"), 120)
    assert (sample.code, parsed(sample.output)["executions"]) == (0, 8)
    assert sample.cpu > 0 and sample.memory > 1
    assert json.loads(sample.output)["verdict"] == "PASS"
