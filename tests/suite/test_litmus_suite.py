"""The suite runner: verdicts against the corpus, herd's format, tables, the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from corpus import CORPUS, needs_corpus, table
from fencepost import api
from fencepost.cli import run
from fencepost.errors import InputError, UsageError
from fencepost.suite import run as suite_run
from fencepost.suite.run import Job, Status, Summary, run_tests
from fencepost.suite.tables import collect, match, read_expected
from golden import assert_golden

HERE = Path(__file__).parent
SB = """X86 SB
{ }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
MP = """PPC MP
{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }
 P0           | P1           ;
 li r1,1      | lwz r1,0(r2) ;
 stw r1,0(r2) | lwz r3,0(r4) ;
 stw r1,0(r4) |              ;
~exists (1:r1=1 /\\ 1:r3=0)
"""
MIXED = """X86_64 mixed
{ uint64_t x; 0:rax=1; }
 P0                     | P1            ;
 lock cmpxchgq %rax,(x) | movl (x),%eax ;
exists (1:rax=1)
"""
#: Table, model of its architecture, and every how many tests the suite of tests runs one. All of them:
#: fencepost litmus --expected TABLE --engine enumerate
TABLES = {"PPC.power": 24, "X86.tso": 12, "C11.rc11": 6, "AARCH64.armv8": 24, "RISCV.riscv": 24}


def sample(name: str) -> dict[str, bool]:
    rows = [(path, row[0] == "1") for path, row in table(f"{name}.expected.csv").items()]
    return {str(CORPUS / path): verdict for path, verdict in rows[:: TABLES[name]]}


@needs_corpus
@pytest.mark.corpus
@pytest.mark.parametrize("engine", ["explore", "enumerate"])
@pytest.mark.parametrize("name", TABLES)
def test_the_corpus_agrees(name: str, engine: str) -> None:
    expected = sample(name)
    results = list(run_tests(expected, Job(engine=engine), expected, processes=1))
    failures = [r for r in results if not r.agrees and r.status is not Status.MIXED]
    assert [f"{r.path}: {r.reason or r.observation}" for r in failures] == []
    assert sum(r.status is Status.MIXED for r in results) <= 1


@needs_corpus
@pytest.mark.corpus
def test_power_allows_exactly_the_executions_that_herd_counts() -> None:
    rows = table("PPC.power.executions.csv")
    paths = [str(CORPUS / path) for path in list(rows)[7::40]]
    for r in run_tests(paths, Job(engine="enumerate"), processes=1):
        assert (str(r.executions), str(r.states)) == rows[str(Path(r.path).relative_to(CORPUS))], r.path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("SB", SB), ("MP", MP), ("mixed", MIXED), ("broken", SB.replace("MOV [y],$1", "FLY"))):
        (tmp_path / f"{name}.litmus").write_text(text)
    return tmp_path


def test_herds_format(folder: Path) -> None:
    results = run_tests([str(folder / "SB.litmus"), str(folder / "MP.litmus")], Job(), processes=1)
    text = "\n".join(line for r in results for line in r.text.splitlines() if not line.startswith("Time "))
    assert_golden(HERE / "herd.txt", text + "\n")


def test_states_show_registers_by_thread_and_then_memory(folder: Path) -> None:
    sb = (folder / "SB.litmus").read_text().split("exists")[0]
    (folder / "SB2.litmus").write_text(sb + "exists (y=1 /\\ 1:EAX=0 /\\ x=1 /\\ 0:EAX=0)\n")
    (found,) = run_tests([str(folder / "SB2.litmus")], Job(), processes=1)
    assert "0:EAX=0; 1:EAX=0; [x]=1; [y]=1;" in found.text


def test_each_test_has_one_status(folder: Path) -> None:
    found = {r.name: r for r in run_tests(collect([str(folder)]), Job(engine="enumerate"), processes=1)}
    assert {n: r.status for n, r in found.items()} == {
        "SB": Status.DONE, "MP": Status.DONE, "mixed": Status.MIXED, "broken": Status.UNSUPPORTED,
    }  # fmt: skip
    assert found["SB"].holds is True and found["SB"].observation == "Sometimes 1 3"
    assert found["MP"].holds is False and found["MP"].observation == "Sometimes 1 3"
    assert "4:" in found["broken"].reason and "FLY" in found["broken"].reason


def test_processes_give_the_same_results_in_the_same_order(folder: Path) -> None:
    paths = collect([str(folder)]) * 2
    one, two = (list(run_tests(paths, Job(), processes=n)) for n in (1, 2))
    assert [(r.path, r.holds, r.states, r.reason) for r in one] == [(r.path, r.holds, r.states, r.reason) for r in two]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="it looks at processes through /proc")
def test_an_interrupt_ends_everything_at_once(folder: Path) -> None:
    """A test that would take for ever: twelve writes of one location in any order."""
    cells = " | ".join(f"MOV [x],${i}" for i in range(1, 13))
    heads = " | ".join(f"P{i}" for i in range(12))
    slow = f"X86 slow\n{{ }}\n {heads} ;\n {cells} ;\nexists (x=0)\n"
    paths = []
    for i in range(8):
        paths.append(str(folder / f"slow{i}.litmus"))
        Path(paths[-1]).write_text(slow)
    command = [
        sys.executable,
        "-c",
        "from fencepost.cli import main; main()",
        "litmus",
        "--engine",
        "enumerate",
        "--processes",
        "2",
        *paths,
    ]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
    while len(children.read_text().split()) < 2:
        time.sleep(0.1)
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=120)
    assert running.returncode == 130 and b"interrupted" in errors


def test_a_time_limit_is_unknown_never_wrong(folder: Path) -> None:
    results = run_tests([str(folder / "SB.litmus")], Job(engine="enumerate", time_limit=1e-4), processes=1)
    assert [r.status for r in results] == [Status.UNKNOWN]


def test_tables_and_lists(folder: Path) -> None:
    (folder / "table.csv").write_text("# a comment\nSB.litmus,1\nMP.litmus,0\n")
    (folder / "list.txt").write_text("# a comment\n\nMP.litmus\nSB.litmus\n")
    expected, _ = read_expected(str(folder / "table.csv"))
    paths = collect([], [str(folder / "list.txt")])
    assert [Path(p).name for p in paths] == ["MP.litmus", "SB.litmus"]
    assert match(paths, expected) == {paths[0]: False, paths[1]: True}
    (folder / "bad.csv").write_text("SB.litmus,1\nMP.litmus,maybe\n")
    with pytest.raises(InputError, match=r"bad\.csv:2"):
        read_expected(str(folder / "bad.csv"))
    with pytest.raises(UsageError):
        collect([str(HERE.parent / "program")])


def test_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "table.csv").write_text("SB.litmus,1\nMP.litmus,1\nbroken.litmus,1\nmixed.litmus,1\n")
    code = run(["litmus", "--expected", str(folder / "table.csv"), "--engine", "enumerate", "--json"])
    data = json.loads(capsys.readouterr().out)
    counts = {k: data["summary"][k] for k in ("tests", "agree", "wrong", "unsupported", "mixed")}
    assert code == 1 and counts == {"tests": 4, "agree": 1, "wrong": 1, "unsupported": 1, "mixed": 1}
    assert data["summary"]["seconds"] > 0
    code = run(["litmus", str(folder / "SB.litmus"), "--model", "sc"])
    out = capsys.readouterr().out
    assert code == 0 and "Observation SB Never 0 3" in out and "1 test: 0 unsupported" in out
    assert run(["litmus", "--engine", "guess", str(folder)]) == 2
    assert run(["litmus"]) == 2


def test_outcomes_of_several_models(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(folder / "SB.litmus")
    assert run(["outcomes", path, "--models", "sc,tso,power"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["outcome", "sc", "tso", "power"]
    assert lines[1].split() == ["0:EAX=0;", "1:EAX=0;", "-", "1", "?"]
    assert "is written for x86" in lines[-1]
    found = api.outcomes_by_model(path, ["sc", "tso"])
    assert (found["sc"].executions, found["tso"].executions) == (3, 4)


def test_the_summary_counts_reasons_together() -> None:
    summary = Summary()
    for r in run_tests(["/nowhere/a.litmus", "/nowhere/b.litmus"], Job(), processes=1):
        summary.add(r)
    assert summary.unsupported == 2 and list(summary.reasons.values()) == [2]


def test_a_malformed_model_is_refused_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.cat").write_text("acyclic poo")
    (tmp_path / "t.litmus").write_text("X86 t\n{ }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n")
    assert run(["litmus", str(tmp_path / "t.litmus"), "--model", str(tmp_path / "m.cat")]) == 2
    assert capsys.readouterr().err.count("unknown name 'poo'") == 1


def _raise(*_: object) -> None:
    raise KeyError("a table without this")


def _die(*_: object) -> None:
    os._exit(7)


@pytest.mark.parametrize(("mishap", "reason"), [(_raise, "KeyError"), (_die, "has died")])
def test_a_test_that_crashes_is_one_row(
    mishap: Callable[..., None], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / f"t{i}.litmus" for i in range(9)]
    for path in paths:
        path.write_text(SB.replace("SB", path.stem))
    judged = suite_run._judged
    monkeypatch.setattr(suite_run, "_judged", lambda path, *rest: (mishap if "t4" in path else judged)(path, *rest))
    results = list(run_tests([str(p) for p in paths], Job(), processes=2))
    assert [r.name for r in results] == [p.stem for p in paths]
    assert [r.status for r in results] == [Status.ERROR if i == 4 else Status.DONE for i in range(9)]
    assert reason in results[4].reason


def test_no_execution_is_no_verdict(tmp_path: Path) -> None:
    path = tmp_path / "none.litmus"
    path.write_text("C none\n{ }\nP0 (atomic_int* x) { while (atomic_load(x) == 0); }\n~exists (x=1)\n")
    (result,) = run_tests([str(path)], Job())
    assert (result.status, result.holds) == (Status.ERROR, None)
    assert "no execution comes to its end" in result.reason


def test_a_run_in_one_process_imports_no_pool(tmp_path: Path) -> None:
    """Start-up is most of a short run: what only others need stays outside."""
    (tmp_path / "a.litmus").write_text("X86 a\n{ }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n")
    code = (
        "import sys; from fencepost import litmus; found = litmus([sys.argv[1]], processes=1); "
        "print(found.summary.tests, *sorted({'multiprocessing', 'concurrent.futures', 'hashlib', 'difflib', "
        "'fencepost.enumerate'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["1"]


def test_a_users_model_is_read_once_in_a_run_and_again_in_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "ab":
        text = f"X86 {name}\n{{ }}\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[x] ;\nexists (1:EAX=1)\n"
        (tmp_path / f"{name}.litmus").write_text(text)
    model = tmp_path / "mine.cat"
    read: list[str] = []
    find = suite_run.find
    monkeypatch.setattr(suite_run, "find", lambda name: read.append(name) or find(name))  # type: ignore[func-returns-value]
    for source, allowed in (
        ('"mine"\nacyclic po | rf | co\n', True),
        ('"mine"\nacyclic po | co\nempty [W \\ IW] ; rf\n', False),
    ):
        model.write_text(source)
        results = list(run_tests(sorted(map(str, tmp_path.glob("*.litmus"))), Job(model=str(model)), processes=1))
        assert [r.holds for r in results] == [allowed, allowed]
    assert read == [str(model)] * 2
