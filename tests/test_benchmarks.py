"""The benchmark command: it lists, measures, finds what is wrong, and compares with an earlier run."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import run as benchmark  # noqa: E402 - needs the path above
from bench import peers, resume  # noqa: E402
from bench.measure import Sample, run_once  # noqa: E402
from bench.papers import Column, Table, tables  # noqa: E402
from bench.papers import case as case_name  # noqa: E402
from bench.plot import line_plot  # noqa: E402
from bench.report import compare, markdown  # noqa: E402
from bench.suites import SUITES, Case, bounded, robustness  # noqa: E402
from bench.tables import paper_table  # noqa: E402
from bench.workloads import is_same, workload  # noqa: E402


def row(case: str, best: float, **more: object) -> dict[str, object]:
    base = {"case": case, "best": best, "spread": 0.02, "memory": 30.0, "result": "PASS", "executions": 8, "peers": {},
            "seconds": best, "series": "", "x": None, "target": 1.0}  # fmt: skip
    return base | more


def results(*rows: dict[str, object]) -> dict[str, object]:
    machine = {"cpu": "c", "processors": 2, "python": "3", "date": "d"}
    return {"machine": machine, "repeats": 3, "suites": {"s": list(rows)}}


def test_every_suite_is_listed() -> None:
    done = subprocess.run([sys.executable, str(BENCHMARKS / "run.py"), "--list"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in ("rcmc-tables", "readers(18) rc11", "rsmc-table1", "dekker, fenced", "rocker-fig7", "scaling",
                 "dijkstra safe CB, LB 7", "peterson3 unsafe CB+3, LB 8", "ms-queue_sc(3) wrc11"):  # fmt: skip
        assert name in done.stdout


def test_an_unknown_suite_is_refused() -> None:
    done = subprocess.run([sys.executable, str(BENCHMARKS / "run.py"), "nonsense"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "no suite nonsense" in done.stderr


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(BENCHMARKS / "run.py"), *arguments], capture_output=True, text=True)


EARLIER = {
    "missing": (None, "No such file"),
    "empty": ("", "is empty: expected the results.json"),
    "corrupt": ('{"suites":\n  [', ":2:4: not JSON"),
    "strange": ('{"suites": {"litmus": [{"case": "a"}]}}', "not the results of an earlier run"),
    "list": ("[]", "not the results of an earlier run"),
}


@pytest.mark.parametrize("name", EARLIER)
def test_an_earlier_run_that_cannot_be_read_is_refused_at_once(name: str, tmp_path: Path) -> None:
    text, said = EARLIER[name]
    path = tmp_path / "earlier.json"
    if text is not None:
        path.write_text(text)
    done = run("litmus", "--against", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments", [("--repeats", "0"), ("--timeout", "-1"), ("--repeats", "x"), ("--only", "nothing")]
)
def test_bad_arguments_are_refused(arguments: tuple[str, str]) -> None:
    done = run("algorithms", *arguments)
    assert done.returncode == 2
    assert arguments[1] in done.stderr and "Traceback" not in done.stderr


def test_ctrl_c_keeps_what_was_measured(tmp_path: Path) -> None:
    command = [sys.executable, str(BENCHMARKS / "run.py"), "rcmc-tables", "--repeats", "1", "--out"]
    with subprocess.Popen([*command, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("[  1/")
        process.send_signal(signal.SIGINT)
        out = process.stdout.read()
    assert process.returncode == 130
    assert "interrupted" in out and "### RCMC, Table 1" in out
    stored = json.loads((tmp_path / "results.json").read_text())
    assert stored["suites"]["rcmc-tables"][0]["case"] == "casrot(4) rc11"


# --- the tables of the papers

PAPERS = {
    "rcmc-tables": [f"RCMC, Table {n}" for n in range(1, 8)],
    "rsmc-table1": ["RSMC, Table 1", "RSMC, Figure 11", "Programs without fences"],
    "rocker-fig7": ["Rocker, Figure 7", "Litmus tests of the Rocker paper"],
    "power2sc-tables": ["Power2SC, Table 3", "Power2SC, Table 4"],
    "power2sc-scaling": [f"Power2SC, Table {n}" for n in range(5, 9)],
}


@pytest.mark.parametrize("suite", PAPERS)
def test_every_cell_of_a_paper_has_a_case_of_ours(suite: str) -> None:
    assert [t.title for t in tables(suite)] == PAPERS[suite]
    cases = {c.name: c for c in SUITES[suite]()}
    for table in tables(suite):
        assert not [name for name in (case_name(*asked) for asked in table.asked()) if name not in cases]
    for case in cases.values():
        assert case.executions is not None or case.verdicts or suite == "rocker-fig7", case.name
        assert all(Path(a).exists() for a in case.command if a.endswith((".fp", ".c"))), case.name


def test_a_cell_shows_theirs_ours_and_the_ratio() -> None:
    columns = Column("Traces", "power", "executions"), Column("A", "power"), Column("B", "power"), Column("C", "power")
    values = (8, "t/o", "~3.0", "")
    rows = (("ainc(3)", values), ("ainc(4)", (9, 1.0, "*2.5", "1-3")))
    table = Table("rcmc-tables", "T", columns, rows, limit=900)
    took = {"ainc(3) power": row("p", 0.5), "ainc(4) power": row("q", 4.0, result="timeout")}
    lines = paper_table(table, took)
    assert (
        lines[-2] == "| ainc(3) | 8 / **8** | t/o 900 / **0.50** (×>1,800) | ~~3.0~~ / **0.50** (×6.0) | – / **0.50** |"
    )
    assert lines[-1] == "| ainc(4) | 9 / **over 4** | 1.0 / **over 4** | \\*2.5 / **over 4** | 1-3 / **over 4** |"


def test_no_ratio_for_another_workload_nor_without_an_answer() -> None:
    columns = (Column("A", "power"),)
    table = Table("power2sc-tables", "T", columns, (("burns safe", ("t/o",)), ("nobody's", (5.0,))), limit=1800)
    took = {"burns safe power": row("b", 0.5, result="UNKNOWN"), "nobody's power": row("n", 0.5)}
    lines = paper_table(table, took)
    assert lines[-2] == "| burns safe `own` | t/o 1800 / **UNKNOWN in 0.50** |"
    assert lines[-1] == "| nobody's `own` | 5.0 / **0.50** |"
    same = Table("rcmc-tables", "T", columns, (("ainc(3)", (5.0,)),))
    assert "×" not in paper_table(same, {"ainc(3) power": row("a", 0.5, result="UNKNOWN")})[-1]
    should = {"ainc(3) power": row("a", 0.5, result="WRONG (UNKNOWN 6; expected PASS)")}
    assert "UNKNOWN in 0.50" in paper_table(same, should)[-1]


def test_every_row_of_the_papers_says_which_program_it_is() -> None:
    for suite in SUITES:
        for table in tables(suite):
            for label, _ in table.rows:
                found = workload(suite, label)
                assert found is not None, f"{suite}: {label} stands in no entry of workloads.toml"
                assert found.source and found.differs and found.link.startswith("https://")


def test_no_run_whose_counts_show_another_program_is_divided() -> None:
    columns = (Column("SC", "sc"), Column("TSO", "tso"))
    table = Table("rcmc-tables", "T", columns, (("fib_bench(3)", (5.0, 5.0)),))
    took = {f"fib_bench(3) {run}": row(run, 0.5) for run in ("sc", "tso")}
    assert paper_table(table, took)[-1] == "| fib_bench(3) | 5.0 / **0.50** | 5.0 / **0.50** (×10) |"


def _printed(title: str, label: str) -> list[str]:
    """The cells of one row of a table of the results page, the label first."""
    page = (BENCHMARKS.parent / "docs" / "results.md").read_text(encoding="utf-8")
    section = page.partition(f"\n### {title}\n")[2].partition("\n#")[0]
    rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return next(r for r in rows if r[0].removeprefix("| ") in (label, f"{label} `own`"))


@pytest.mark.parametrize("suite", SUITES)
def test_each_row_of_the_page_has_its_mark_and_losses_stand_like_wins(suite: str) -> None:
    """Over the stored results: a ratio stands exactly where both ran the same workload to an answer, whoever won."""
    stored = {r["case"]: r for r in json.loads((BENCHMARKS / "results.json").read_text())["suites"].get(suite, [])}
    for table in tables(suite):
        for label, values in table.rows:
            name, *cells = _printed(table.title, label)
            assert name.endswith("`own`") != is_same(suite, label), label
            for column, theirs, cell in zip(table.columns, values, cells, strict=True):
                found = stored.get(case_name(label, column.run))
                if column.what == "text" or found is None:
                    continue
                unanswered = found["result"] == "timeout" or "UNKNOWN" in found["result"]
                at = f"{label}, {column.head}: {cell}"
                assert ("over" in cell) == (found["result"] == "timeout"), at
                if column.what == "seconds":
                    assert ("UNKNOWN" in cell) == ("UNKNOWN" in found["result"]), at
                    divided = bool(theirs and table.seconds(theirs)[0]) and is_same(suite, label, column.run)
                    assert ("×" in cell) == (divided and not unanswered), at
                if column.what == "duplicates":
                    assert found["duplicates"] == theirs, at


# --- comparing with an earlier run


def test_regressions_beyond_noise_are_flagged() -> None:
    before = results(row("a", 1.0), row("b", 1.0), row("c", 1.0), row("d", 1.0))
    now = results(row("a", 1.05), row("b", 1.6), row("c", 0.5), row("d", 1.0, executions=9))
    lines = compare(now, before)
    assert [line.split()[0] for line in lines] == ["SLOWER", "faster", "CHANGED"]


def test_the_page_says_whether_a_target_is_met(tmp_path: Path) -> None:
    page = markdown(results(row("fast", 0.5), row("slow", 2.0)), tmp_path)
    assert "| 1.0 met |" in page
    assert "| 1.0 MISSED |" in page
    assert "1 of 2 targets are met" in page and "- slow takes 2.00 s instead of 1.0 s." in page


def test_scaling_gives_plots_and_the_growth(tmp_path: Path) -> None:
    rows = [row(str(n), n / 1000, series="events, rc11", x=n) for n in (10, 100, 1000, 10000)]
    page = markdown(results(*rows), tmp_path)
    assert "grows as the power 1.00" in page
    assert ElementTree.fromstring((tmp_path / "events-time.svg").read_text()).tag.endswith("svg")


def test_a_plot_is_well_formed() -> None:
    root = ElementTree.fromstring(line_plot("a < b", "x", "y", {"one": [(1, 2), (10, 20)]}))
    assert len([e for e in root.iter() if e.tag.endswith("circle")]) == 2


def test_the_axes_of_a_plot_end_at_round_numbers() -> None:
    narrow = ElementTree.fromstring(line_plot("p", "x", "y", {"one": [(2, 20), (16, 78)]}))
    assert [e.text for e in narrow.iter() if e.text and e.text.isdigit()] == ["2", "5", "10", "20", "20", "50", "100"]
    wide = line_plot("p", "x", "y", {"one": [(1000, 0.2), (2**24, 0.9)]})
    assert "10⁵" in wide and "10⁸" in wide and ">0.2<" in wide and ">10 000<" in wide


def test_a_case_is_measured(tmp_path: Path) -> None:
    from bench.measure import fencepost, parsed

    program = BENCHMARKS / "programs" / "readers.fp"
    sample = run_once(fencepost("check", str(program), "--no-reductions", "--json", "--", "-DN=3"), 120)
    assert (sample.code, parsed(sample.output)["executions"]) == (0, 8)
    assert sample.cpu > 0 and sample.memory > 1
    assert json.loads(sample.output)["verdict"] == "PASS"


# --- peers, by stand-ins that print what the real ones print

STAND_INS = {
    "genmc": "echo 'No errors were detected.'; echo 'Number of complete executions explored: 8'; "
    "echo 'Number of blocked executions seen: 3'; echo 'Total wall-clock time: 0.02s'",
    "nidhuggc": "echo 'Trace count: 8 (also 3 sleepset blocked)'; echo 'No errors were detected.'",
    "herd7": "head -1 $5; echo 'Test SB Allowed'; echo 'States 4'; echo Ok; echo 'Observation SB Sometimes 1 3'; "
    "echo 'Test MP Allowed'; echo 'States 3'; echo No; echo 'Observation MP Never 0 3'",
    "cbmc": "grep -c main $2; echo --no-standard-checks; echo '** 1 of 1 failed'; echo 'VERIFICATION FAILED'",
    "dartagnan": "head -1 $4; echo 'Condition not found.'; echo PASS",
}
ANSWERS = {"genmc": ("PASS", 8), "nidhuggc": ("PASS", 8), "herd7": (None, 2), "cbmc": ("FAIL", None),
           "dartagnan": ("PASS", None)}  # fmt: skip
GIVEN = {
    "genmc": ["--rc11", "--disable-estimation", "--unroll=4", "--", "-DN=3", "readers.c"],
    "nidhuggc": ["-DN=3", "--", "--power", "--unroll=4", "readers.c"],
    "herd7": ["-model", "ppc.cat", "-show", "none", "@all"],
    "cbmc": ["--no-standard-checks", "m.c"],
    "dartagnan": ["rc11.cat", "--target=c11", "--bound=4", "program.c"],
}


@pytest.fixture
def stand_ins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, does in STAND_INS.items():
        script = tmp_path / name
        script.write_text(f'#!/bin/sh\nfor a in "$@"; do basename -- "$a"; done > {tmp_path}/{name}.given\n{does}\n')
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("DAT3M_HOME", str(tmp_path))
    peers._knows.cache_clear()
    return tmp_path


def case_for(peer: str, folder: Path) -> Case:
    readers = (str(BENCHMARKS / "programs" / "c" / "readers.c"), "-DN=3")
    if peer == "herd7":
        (folder / "list.csv").write_text("path,expected\nPPC/SB.litmus,1\nPPC/MP.litmus,1\n")
        return Case("litmus", (), listed=str(folder / "list.csv"), model="power")
    if peer == "cbmc":
        return next(c for c in bounded() if c.name.startswith("pgsql_bnd unsafe CB"))
    command = ("check", "readers.fp", "--unroll", "4")
    return Case("readers", command, c=readers, model="power" if peer == "nidhuggc" else "rc11")


def asked(case: Case, folder: Path) -> dict[str, dict[str, object]]:
    work = folder / "work"
    work.mkdir()
    return {peer.name: peers.ask(peer, command, case, 60) for peer, command in peers.prepared(case, work)}


@pytest.mark.parametrize("peer", STAND_INS)
def test_a_peer_is_asked_in_its_own_words(peer: str, stand_ins: Path) -> None:
    found = asked(case_for(peer, stand_ins), stand_ins)
    name = {"nidhuggc": "nidhugg"}.get(peer, peer)
    assert name in found
    assert (stand_ins / f"{peer}.given").read_text().split() == GIVEN[peer]
    assert (found[name]["answer"], found[name]["executions"]) == ANSWERS[peer]
    if peer == "herd7":
        assert found[name]["agree"] == 1


def test_a_litmus_test_is_known_by_the_name_inside_its_file(tmp_path: Path) -> None:
    (tmp_path / "iwp2.2.amd2.litmus").write_text("X86 iwp2.2/amd2\n{ }\n")
    assert peers._test_name(tmp_path / "iwp2.2.amd2.litmus") == "iwp2.2/amd2"
    assert peers._test_name(tmp_path / "SB.litmus") == "SB", "no such file"


def test_ours_and_the_peers_run_in_turn_and_the_best_counts(stand_ins: Path) -> None:
    case = case_for("genmc", stand_ins)
    command = ("sh", "-c", f"echo ours >> {stand_ins}/turns")
    (stand_ins / "genmc").write_text(f"#!/bin/sh\necho theirs >> {stand_ins}/turns\necho 'No errors were detected.'\n")
    options = argparse.Namespace(timeout=20, repeats=3, with_peers=True, peer_timeout=5, instructions=False,
                                 asked=[])  # fmt: skip
    found = benchmark.measure(replace(case, command=(*command, "check")), options, 5)
    assert (stand_ins / "turns").read_text().split() == ["ours", "theirs"] * 3
    assert found["runs"] == 3 and found["peers"]["genmc"]["answer"] == "PASS"


def test_what_did_not_run_keeps_its_figures_and_its_date() -> None:
    readers, casrot = {"case": "readers(3) rc11"}, {"case": "casrot(4) rc11"}
    old = [casrot, readers | {"best": 1.0}, {"case": "gone"}]
    before = {"machine": {"date": "yesterday"}, "suites": {"rsmc-table1": [], "rcmc-tables": old}}
    now = {"machine": {"date": "today"}, "load": 7.5, "peers": ["cbmc"], "suites": {"rcmc-tables": [readers]}}
    merged = benchmark.with_stored(now, before)
    assert merged["suites"] == {"rcmc-tables": [casrot, readers], "rsmc-table1": []}
    assert merged["dates"]["rcmc-tables"] == {"date": "today", "load": 7.5, "peers": ["cbmc"], "older": 1}
    assert merged["dates"]["rsmc-table1"] == {"date": "yesterday", "peers": []}


def test_one_row_of_the_natural_table_replaces_itself_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS / "natural"))
    table = importlib.import_module("table")
    page = (BENCHMARKS.parent / "docs" / "natural.md").read_text(encoding="utf-8")
    assert table.with_rows(page, {}) == page
    changed = table.with_rows(page, {"fib": "| fib | new |"})
    assert [line for line in changed.splitlines() if line not in page.splitlines()] == ["| fib | new |"]
    assert len(changed.splitlines()) == len(page.splitlines())


def test_a_suite_that_could_not_run_keeps_all_of_its_rows() -> None:
    """Without the corpus there are no litmus tables to measure, which is no reason to forget them."""
    before = {"machine": {"date": "yesterday"}, "suites": {"litmus": [{"case": "X86 under tso"}]}}
    now: dict[str, Any] = {"machine": {"date": "today"}, "peers": [], "suites": {"litmus": [], "scaling": []}}
    merged = benchmark.with_stored(now, before)
    assert merged["suites"] == {"litmus": [{"case": "X86 under tso"}], "scaling": []}
    assert merged["dates"]["litmus"]["date"] == "yesterday"


def test_a_run_goes_on_where_it_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of the same code and question are kept with their dates; another source or another core is asked again."""
    source = tmp_path / "a.fp"
    source.write_text("var x\nthread P { x := 1 }\n")
    cases = [Case(n, (sys.executable, "-c", "print('{}')", str(source), n)) for n in ("one", "two")]
    options = argparse.Namespace(quick=False, enough=1, repeats=1, timeout=9, with_peers=False, instructions=False,
                                 minutes=None, asked=[], out=tmp_path)  # fmt: skip
    first: dict[str, Any] = {"suites": {}}
    monkeypatch.setattr(benchmark, "_SAVED_EVERY", 0.0)
    benchmark._measure_all({"rcmc-tables": cases[:1]}, options, first, {})
    first["suites"]["rcmc-tables"][0]["date"] = "long ago"
    saved = json.loads((tmp_path / "results.json").read_text())
    assert [r["case"] for r in saved["suites"]["rcmc-tables"]] == ["one"], "what is measured is written down at once"

    def dates() -> list[str]:
        now: dict[str, Any] = {"suites": {}}
        benchmark._measure_all({"rcmc-tables": cases}, options, now, resume.rows_of(first))
        return [r["date"] for r in now["suites"]["rcmc-tables"]]

    assert dates()[0] == "long ago" != dates()[1]
    monkeypatch.setattr(resume, "code", lambda: "another core")
    assert "long ago" not in dates()
    monkeypatch.undo()
    source.write_text("var x\nthread P { x := 2 }\n")
    assert "long ago" not in dates()


def test_no_case_begins_after_the_minutes_are_over(tmp_path: Path) -> None:
    options = argparse.Namespace(quick=False, enough=1, repeats=1, timeout=9, with_peers=False, instructions=False,
                                 minutes=1e-9, asked=[], out=tmp_path)  # fmt: skip
    now: dict[str, Any] = {"suites": {}}
    benchmark._measure_all({"rcmc-tables": [Case("one", (sys.executable, "-c", ""))]}, options, now, {})
    assert now["suites"] == {"rcmc-tables": []}


def test_a_figure_from_elsewhere_is_in_no_ratio(tmp_path: Path) -> None:
    page = markdown(results(row("a", 1.0, peers={"genmc 0.11": {"cpu": 2.0, "elsewhere": True}})), tmp_path)
    assert "genmc 0.11 2.0 s (elsewhere)" in page and "another machine" in page
    assert "×2.0" not in page and "times our CPU time" not in page


def test_peers_that_are_not_there_are_said(tmp_path: Path) -> None:
    command = [sys.executable, str(BENCHMARKS / "run.py"), "litmus", "--with-peers"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": str(tmp_path)})
    assert done.returncode == 2 and "none of genmc, nidhuggc, herd7, spin, cbmc, dartagnan is on PATH" in done.stderr


def test_a_peer_that_answers_otherwise_is_shown(tmp_path: Path) -> None:
    other = {"cbmc": {"cpu": 2.0, "executions": None, "counted": "executions", "answer": "FAIL", "over": False}}
    assert "cbmc 2.0 s, DISAGREES: FAIL (×2.0)" in markdown(results(row("a", 1.0, peers=other)), tmp_path)


@pytest.mark.skipif(shutil.which("cbmc") is None, reason="cbmc is not installed")
def test_cbmc_agrees_with_us(tmp_path: Path) -> None:
    assert asked(case_for("cbmc", BENCHMARKS), tmp_path)["cbmc"]["answer"] == "FAIL"


@pytest.mark.skipif(shutil.which("herd7") is None, reason="herd7 is not installed")
def test_herd_agrees_with_us(tmp_path: Path) -> None:
    test = tmp_path / "SB.litmus"
    test.write_text('X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n'
                    'exists (0:EAX=0 /\\ 1:EAX=0)\n')  # fmt: skip
    listed = tmp_path / "list.csv"
    listed.write_text(f"{test},1\n")
    found = asked(Case("litmus", (), listed=str(listed), model="tso"), tmp_path)["herd7"]
    assert (found["executions"], found["agree"]) == (1, 1)


@pytest.mark.skipif(shutil.which("spin") is None, reason="spin is not installed")
def test_spin_runs_beside_us(tmp_path: Path) -> None:
    case = next(c for c in robustness() if c.name == "sb ra")
    found = asked(case, tmp_path)["spin"]
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


def test_a_limit_that_ends_a_solver_is_a_timeout() -> None:
    case = Case("a", (), None, ("PASS",))
    unknown = {"verdict": "UNKNOWN", "executions": 0}
    assert benchmark._result(case, Sample(80.0, 40.5, 90.0, 3, ""), 40.0, unknown) == "timeout"
    assert benchmark._result(case, Sample(2.0, 1.5, 90.0, 3, ""), 40.0, unknown).startswith("WRONG")
    assert (
        benchmark._result(Case("b", (), 8, ("PASS", "UNKNOWN")), Sample(2.0, 1.5, 9.0, 3, ""), 40.0, unknown)
        == "UNKNOWN"
    )
