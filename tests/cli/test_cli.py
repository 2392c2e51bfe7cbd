"""The command as a whole: replies, exit codes, and that no failure ever shows a traceback."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fencepost.cli import VERBS, run
from fencepost.errors import InternalError, UsageError
from fencepost.verdict import Answer, ExitCode

ROOT = Path(__file__).parents[2]
EXAMPLE = str(ROOT / "examples" / "papers" / "rsmc-fig2.fp")
BAD = sorted((ROOT / "tests" / "frontends" / "pseudo" / "bad").glob("*.fp"))
COMMAND = [sys.executable, "-c", "from fencepost.cli import main; main()"]


def test_program_reads_its_own_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["program", EXAMPLE]) == 0
    first = capsys.readouterr().out
    text = tmp_path / "again.fpir"
    text.write_text(first)
    assert run(["program", str(text)]) == 0
    assert capsys.readouterr().out == first


def test_program_through_a_pipe() -> None:
    first = subprocess.run([*COMMAND, "program", EXAMPLE], capture_output=True, check=True).stdout
    again = subprocess.run([*COMMAND, "program", "-"], input=first, capture_output=True, check=True).stdout
    assert again == first and first.startswith(b"program ")


def test_standard_input_may_be_pseudo_code() -> None:
    done = subprocess.run([*COMMAND, "program", "-"], input=b"var x\nthread P { x := 1 }", capture_output=True)
    assert done.returncode == 0 and b"store &x, 1" in done.stdout


@pytest.mark.parametrize("path", BAD, ids=lambda p: p.stem)
def test_bad_files_end_with_code_two_and_one_message(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(path)]) == ExitCode.BAD_INPUT
    out, err = capfd.readouterr()
    assert out == "" and err.startswith(f"error: {path}:") and "Traceback" not in err
    assert len(err.splitlines()) <= 2


def test_bad_input_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    path = next(p for p in BAD if p.stem == "unknown-register")
    assert run(["check", "--json", str(path)]) == ExitCode.BAD_INPUT
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["line"], error["column"], error["hint"]) == (4, 8, "did you mean value?")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["chek"], "did you mean check?"),
        (["check"], "missing argument FILES"),
        (["check", "--colour", "x.fp"], "no such option --colour"),
        (["check", "--modle", "sc", EXAMPLE], "did you mean --model?"),
        (["check", EXAMPLE, "--jobs"], "argument --jobs: expected one argument"),
        (["models", "sc", "tso"], "unexpected argument tso"),
        (["compare", "sc", "tso", "--size", "1"], "must be at least 2"),
        (["check", "--model", "nonsense", EXAMPLE], "nonsense"),
        (["check", "--time-limit", "-1", EXAMPLE], "--time-limit must be positive"),
        (["check", "--time-limit", "nan", EXAMPLE], "--time-limit must be positive"),
        (["check", "--max-executions", "9" * 20, EXAMPLE], "--max-executions must be less than 2^32"),
        (["robust", "--max-states", "9" * 20, EXAMPLE], "--max-states must be less than 2^32"),
        (["bounded", "--contexts", "9" * 20, EXAMPLE], "expected 1 <= A <= B <= 1000"),
        (["check", "--unroll", "many", EXAMPLE], "--unroll"),
        (["check", "--jobs", "100000", EXAMPLE], "--jobs must be at most 512"),
        (["robust", "--jobs", "100000", EXAMPLE], "--jobs must be at most 512"),
        (["check", "--ignore", "rain", EXAMPLE], "--ignore rain"),
        (["check", "nothing.fp"], "cannot be read"),
        (["check", EXAMPLE, EXAMPLE], "several files"),
        (["check", __file__], "no front end reads '.py' files"),
        (["check", EXAMPLE, "--", "-DN=3"], "the program has no constant N"),
        (["check", EXAMPLE, "--", "-O2"], "-DNAME=NUMBER"),
        (["models", "--", "-DN=3"], "takes no flags"),
    ],
)
def test_bad_usage(args: list[str], message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(args) == ExitCode.BAD_INPUT
    out, err = capfd.readouterr()
    assert message in err and "Traceback" not in err and out == ""


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("thread P { x := 1 }", ExitCode.PASS),
        ("thread P { assert(x == 1) }", ExitCode.FAIL),
        ("thread P { r := x }\nexists (P:r == 1)", ExitCode.FAIL),
        ("thread P { r := x }\nexists (P:r == 0)", ExitCode.PASS),
        ("thread P { while 1 { r := r + 1 } }", ExitCode.UNKNOWN),
    ],
)
def test_exit_codes_of_check(text: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.fp"
    path.write_text(f"var x\n{text}\n")
    assert run(["check", str(path), "--json"]) == code
    data = json.loads(capsys.readouterr().out)
    assert {"verdict", "reason", "model", "executions", "blocked", "seconds", "witness"} <= set(data)
    assert Answer(data["verdict"]).exit_code == code
    assert (data["witness"] is not None) == (code == ExitCode.FAIL and "assert" in text)


@pytest.mark.parametrize("verb", ["check", "outcomes", "program", "models", "doctor"])
def test_every_verb_speaks_json(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    run([verb, "--json", *([] if verb in ("models", "doctor") else [EXAMPLE])])
    assert isinstance(json.loads(capsys.readouterr().out), dict)


@pytest.mark.parametrize("verb", [v.name for v in VERBS])
def test_every_verb_has_help_and_json(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([verb, "--help"]) == 0
    out = capsys.readouterr().out
    assert "--json" in out and "--help" in out


def test_top_level(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == run(["--help"]) == run(["-h"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {verb.name} " in out for verb in VERBS)
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("fencepost 0.")


def test_help_is_cheap() -> None:
    """Under 0.2 s: measured as the processor time of the best of five, since the machine may be busy."""
    heavy = "import sys; from fencepost.cli import run; run(['--help']); "
    heavy += "assert not {'argparse', 'rich', 'llvmlite', 'fencepost._core', 'fencepost.api'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", heavy], check=True, capture_output=True)
    best = 9.0
    for _ in range(5):
        before = os.times()
        subprocess.run([*COMMAND, "--help"], check=True, capture_output=True)
        after = os.times()
        best = min(best, after.children_user + after.children_system - before.children_user - before.children_system)
    assert best < 0.2


def test_doctor_names_what_is_there_and_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert run(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "+ native core" in out and "- cbmc" in out and "To get what is missing:" in out and "Ready." in out


def test_our_own_bugs_are_no_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(*_: object, **__: object) -> None:
        raise InternalError("two parts disagree")

    monkeypatch.setattr("fencepost.api.read", broken)
    assert run(["program", EXAMPLE]) == ExitCode.INTERNAL
    out, err = capsys.readouterr()
    assert "two parts disagree" in err and "Please report it with" in err and "Traceback" not in err + out
    details = Path(err.split()[-1])
    assert "Traceback" in details.read_text()
    details.unlink()


def test_a_verb_that_cannot_be_imported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "fencepost.cli.program", None)
    assert run(["program", EXAMPLE]) == ExitCode.INTERNAL
    err = capsys.readouterr().err
    assert "internal error: ModuleNotFoundError" in err and "Traceback" not in err
    Path(err.split()[-1]).unlink()


def test_interruption(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fencepost.api.read", interrupted)
    assert run(["program", EXAMPLE]) == ExitCode.INTERRUPTED
    assert "Traceback" not in capsys.readouterr().err


def test_a_reader_that_goes_away() -> None:
    process = subprocess.Popen(
        [*COMMAND, "program", EXAMPLE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait() == ExitCode.BROKEN_PIPE and err == ""


def _wait_for_the_core(process: subprocess.Popen[str]) -> None:
    """However busy the machine is: before the command has come so far, Ctrl-C is Python's own affair."""
    maps = Path(f"/proc/{process.pid}/maps")
    if not maps.exists():
        time.sleep(5)
    while maps.exists() and "_core" not in maps.read_text():
        assert process.poll() is None
        time.sleep(0.05)


def test_ctrl_c_while_exploring(tmp_path: Path) -> None:
    path = tmp_path / "long.fp"
    path.write_text("var x\nthread T(i in 1..12) { FADD(x, i) }\n")
    process = subprocess.Popen(
        [*COMMAND, "check", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    _wait_for_the_core(process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert "Traceback" not in err + out
    assert process.returncode in (ExitCode.UNKNOWN, ExitCode.INTERRUPTED)


@pytest.mark.skipif(sys.platform == "win32", reason="signals there are something else")
def test_who_is_told_to_end_saves_what_was_found(tmp_path: Path) -> None:
    """As batch systems do before they kill."""
    path, state = tmp_path / "long.fp", tmp_path / "state"
    path.write_text("var x\nthread T(i in 1..12) { FADD(x, i) }\n")
    command = [*COMMAND, "check", str(path), "--save", str(state)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    _wait_for_the_core(process)
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=300)
    assert "interrupted" in out + err and process.returncode in (ExitCode.UNKNOWN, ExitCode.INTERRUPTED)
    if process.returncode == ExitCode.UNKNOWN:
        assert state.stat().st_size > 0


def test_keywords_are_the_options() -> None:
    import fencepost

    assert fencepost.check(EXAMPLE, model="sc", max_executions=100).executions == 3
    with pytest.raises(UsageError, match="did you mean max_executions"):
        fencepost.check(EXAMPLE, max_execution=1)


def test_every_function_of_the_api_is_public() -> None:
    """Also where a room of the same name was imported: `bounded` and `generate`."""
    import importlib

    import fencepost

    for room in ("bounded", "generate"):
        importlib.import_module(f"fencepost.{room}")
    assert all(callable(getattr(fencepost, name)) for name in fencepost._PUBLIC)
    assert fencepost.bounded(EXAMPLE, contexts="1").model == "power"  # type: ignore[operator] # mypy sees the room
    assert fencepost.generate("ppc", cycle="PodWW Rfe PodRR Fre")[0].name  # type: ignore[operator]
    assert issubclass(fencepost.errors.UsageError, fencepost.errors.FencepostError)


JSON_ROWS = {
    "[check]": ["check", EXAMPLE], "[outcomes]": ["outcomes", EXAMPLE],
    "`outcomes --models`": ["outcomes", EXAMPLE, "--models", "sc,tso"], "[explain]": ["explain", EXAMPLE],
    "[generate]": ["generate", "--cycle", "PodWW Rfe PodRR Fre"], "[compare]": ["compare", "sc", "tso"],
    "[program]": ["program", EXAMPLE], "[models]": ["models"], "`models NAME`": ["models", "sc"],
    "[doctor]": ["doctor"], "[litmus]": ["litmus"],
}  # fmt: skip


@pytest.mark.parametrize("row", JSON_ROWS)
def test_the_members_of_json_are_those_of_the_page(
    row: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = JSON_ROWS[row]
    if command == ["litmus"]:
        assert run(["generate", "--cycle", "PodWW Rfe PodRR Fre", "--output", str(tmp_path)]) == 0
        command = ["litmus", str(tmp_path)]
    capsys.readouterr()
    run([*command, "--json"])
    found = json.loads(capsys.readouterr().out)
    lines = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8").splitlines()
    (members,) = (line.rsplit("|", 2)[1] for line in lines if line.startswith(f"| {row}"))
    told = set(re.findall(r"`(\w+)`", re.sub(r"\([^()]*\)", "", members)))
    assert told == set(found) - ({"engine", "why", "condition", "estimate"} if row == "[check]" else set())
