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
    from fencepost.explore import saved

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(saved, "save", full)
    program = tmp_path / "inc.fp"
    program.write_text("var x\nthread T(i in 1..4) { FADD(x, 1) }\n")
    verdict = fencepost.check(program, save=str(tmp_path / "state"))
    assert verdict.answer.value == "PASS" and verdict.executions == 24
    assert verdict.warnings == (f"the state was not saved: {tmp_path / 'state'}: No space left on device",)


def test_ctrl_c_tells_what_was_found_and_says_130(tmp_path: Path) -> None:
    import fencepost

    long = tmp_path / "long.fp"
    long.write_text("var x\nthread T(i in 1..12) { FADD(x, 1) }\n")
    verdict = fencepost.check(long, progress=lambda *_: signal.raise_signal(signal.SIGINT))
    assert verdict.answer.value == "UNKNOWN" and verdict.reason.startswith("interrupted")
    assert verdict.executions > 0 and verdict.exit_code == ExitCode.INTERRUPTED
