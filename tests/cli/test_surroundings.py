"""The command in surroundings that are not ours: other encodings, full disks, closed streams, widths, odd paths."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from fencepost.cli import run
from fencepost.verdict import ExitCode

COMMAND = [sys.executable, "-m", "fencepost"]
FAILING = 'var x, y\nthread P { x := 1; y := 1 }\nthread Q { r := y; s := x; assert(r == 0 || s == 1, "seen") }\n'
FULL = Path("/dev/full")


@pytest.fixture
def failing(tmp_path: Path) -> Path:
    file = tmp_path / "mp ü.fp"
    file.write_text(FAILING)
    return file


def _run(*args: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *args], capture_output=True, env={**os.environ, **variables}, check=False)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_our_signs(failing: Path, encoding: str) -> None:
    result = _run("check", str(failing), PYTHONIOENCODING=encoding)
    assert result.returncode == ExitCode.FAIL and result.stderr == b""
    out = result.stdout.decode(encoding)
    assert "P" in out and " | " in out and "-+-" in out and "x seen" in out
    assert f"mp {'ü' if encoding == 'latin-1' else chr(92) + 'xfc'}.fp:3" in out


@pytest.mark.parametrize("columns", [40, 70, 150])
def test_a_terminal_of_any_width(failing: Path, columns: int) -> None:
    from pty import openpty
    from termios import TIOCSWINSZ

    leader, follower = openpty()
    fcntl.ioctl(follower, TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    plain = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    env = {**plain, "NO_COLOR": "1"}
    subprocess.run([*COMMAND, "check", str(failing)], stdout=follower, env=env, check=False)
    os.close(follower)
    out = b""
    while chunk := _read(leader):
        out += chunk
    lines = out.decode().splitlines()
    assert b"\x1b" not in out and "why" in out.decode()
    assert 0.6 * columns < max(len(line) for line in lines[2:]) <= columns


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux tells the end of a terminal
        return b""


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("args", [["check"], ["check", "--json"], ["outcomes"], ["program"]])
def test_standard_output_is_full(failing: Path, args: list[str]) -> None:
    with FULL.open("w") as full:
        result = subprocess.run([*COMMAND, *args, str(failing)], stdout=full, stderr=subprocess.PIPE, check=False)
    assert result.returncode == ExitCode.BAD_INPUT
    assert result.stderr == b"error: standard output: No space left on device\n"


def test_standard_output_is_closed(failing: Path) -> None:
    line = f'"{sys.executable}" -m fencepost check "{failing}" >&-'
    result = subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, check=False)
    assert result.returncode == ExitCode.FAIL and result.stderr == b""


@pytest.mark.parametrize("option", ["--html", "--svg", "--dot", "--sarif", "--junit", "--save"])
@pytest.mark.parametrize("target", ["nowhere/x", "."])
def test_files_that_cannot_be_written(failing: Path, tmp_path: Path, option: str, target: str) -> None:
    before = sorted(tmp_path.iterdir())
    result = _run("check", str(failing), option, str(tmp_path / target))
    assert result.returncode == ExitCode.BAD_INPUT and result.stdout == b""
    err = result.stderr.decode()
    assert err.startswith(f"error: {option} {tmp_path / target}: ") and err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_tests_are_not_generated_into_a_file(failing: Path) -> None:
    result = _run("generate", "--size", "4", "--limit", "1", "--output", str(failing))
    assert result.returncode == ExitCode.BAD_INPUT and b"File exists" in result.stderr


def test_a_disk_that_becomes_full_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fencepost
    from fencepost.explore import journal

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journal, "save", full)
    program = tmp_path / "inc.fp"
    program.write_text("var x\nthread T(i in 1..4) { FADD(x, 1) }\n")
    verdict = fencepost.check(program, save=str(tmp_path / "state"))
    assert verdict.answer.value == "PASS" and verdict.executions == 24
    assert verdict.warnings == (f"the state was not saved: {tmp_path / 'state'}: No space left on device",)


def test_ctrl_c_tells_what_was_found_and_says_130(tmp_path: Path) -> None:
    import fencepost

    long = tmp_path / "long.fp"
    long.write_text("var x\nthread T(i in 1..12) { FADD(x, 1) }\n")
    verdict = fencepost.check(long, reductions=False, progress=lambda *_: signal.raise_signal(signal.SIGINT))
    assert verdict.answer.value == "UNKNOWN" and verdict.reason.startswith("interrupted")
    assert verdict.executions > 0 and verdict.exit_code == ExitCode.INTERRUPTED


MESSAGE = """#include <assert.h>
#include <pthread.h>
int x;
void *w(void *_) { x = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); assert(x == 2); }
"""


def test_a_c_file_in_a_folder_with_any_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "ein Ordner mit ü und mehr"
    folder.mkdir()
    file = folder / "größe.c"
    file.write_text(MESSAGE)
    assert run(["check", str(file)]) == ExitCode.FAIL
    assert "größe.c:5  … pthread_create(&t, 0, w, 0);" in capsys.readouterr().out


def test_c_files_that_define_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "a.c", tmp_path / "b.c"
    first.write_text(MESSAGE)
    second.write_text(MESSAGE)
    assert run(["check", str(first), str(first)]) == ExitCode.BAD_INPUT
    assert run(["check", str(first), str(second)]) == ExitCode.BAD_INPUT
    assert (
        capsys.readouterr().err
        == f"error: {first} is given twice\nerror: {second}: cannot be linked: another file defines x, too\n"
    )


def test_any_editor_may_have_written_a_model(failing: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "mine.cat"
    model.write_bytes(b"\xef\xbb\xbfacyclic po | rf | co | fr\r\nempty rmw & (fr; co)\r\n")
    assert run(["check", str(failing), "--model", str(model)]) == ExitCode.PASS
    model.write_bytes(b"acyclic po\n(* \xe9 *)\n")
    assert run(["check", str(failing), "--model", str(model)]) == ExitCode.BAD_INPUT
    assert f"{model}:2:4: this is not a text file: byte 0xe9 is not UTF-8" in capsys.readouterr().err


def test_a_litmus_test_may_begin_with_a_comment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "sb.litmus"
    code = " P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)"
    file.write_text(f"(* by (* an *) author *)\nX86 SB\n{{ }}\n{code}\n")
    assert run(["litmus", str(file)]) == ExitCode.PASS
    assert "Observation SB Sometimes 1 3" in capsys.readouterr().out
    file.write_text("x" * 10_000)
    assert run(["litmus", str(file)]) == ExitCode.UNKNOWN
    assert max(map(len, capsys.readouterr().out.splitlines())) < 400
