"""A saved exploration goes on for the very same question only, and only from a file that is whole."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import fencepost
from fencepost.errors import UsageError
from fencepost.explore import structs
from fencepost.frontends import read_text
from fencepost.program.program import Program

PROGRAM = """var x, y
thread P { x := 1; r := y }
thread Q { y := 1; s := x; p := malloc(8) }
thread R { a := x; b := y; assert(a == a, "true") }
observe P:r, Q:s"""


def program() -> Program:
    return read_text(PROGRAM, "t.fp")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    file = tmp_path / "state"
    part = fencepost.check(program(), max_executions=3, save=str(file))
    assert part.executions == 3
    return file


def test_it_goes_on_where_it_stopped(state: Path) -> None:
    whole, rest = fencepost.check(program()), fencepost.check(program(), resume=str(state))
    assert (rest.answer, rest.executions, rest.blocked) == (whole.answer, whole.executions, whole.blocked)
    assert whole.executions > 3


@pytest.mark.parametrize("model", ["armv8", "power", "riscv", "imm"])
def test_hardware_models_go_on_and_share_the_work(tmp_path: Path, model: str) -> None:
    """With updates, so that holes and writes without a commit are among what is kept."""
    text = """var x, y
thread P { a := FADD(x, 1); r := y; y := r + 1 }
thread Q { b := FADD(y, 1); s := x; x := s + 1 }
thread R { c := x; d := y }
"""
    p, file = read_text(text, "t.fp"), tmp_path / "state"
    whole = fencepost.check(p, model=model)
    part = fencepost.check(p, model=model, max_executions=whole.executions // 3, save=str(file))
    rest = fencepost.check(p, model=model, resume=str(file))
    assert part.executions < whole.executions == rest.executions
    assert fencepost.check(p, model=model, jobs=2).executions == whole.executions > 50


def test_no_byte_may_change(state: Path) -> None:
    """Each byte flipped on its own: refused by name every time, never other totals and never a crash."""
    content, damaged = state.read_bytes(), state.with_name("damaged")
    for at in range(len(content)):
        damaged.write_bytes(content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1 :])
        with pytest.raises(UsageError, match=f"--resume {damaged}: "):
            fencepost.check(program(), resume=str(damaged))


@pytest.mark.parametrize("change", [lambda b: b[:-1], lambda b: b"", lambda b: b[: len(b) // 2]])
def test_no_byte_may_be_missing(state: Path, change: Callable[[bytes], bytes]) -> None:
    state.write_bytes(change(state.read_bytes()))
    with pytest.raises(UsageError, match="--resume"):
        fencepost.check(program(), resume=str(state))


def test_what_follows_the_last_whole_record_is_no_part_of_it(state: Path) -> None:
    """The end of a file that was being written when the machine went down: exact, and told."""
    state.write_bytes(state.read_bytes() + b"\x20\0\0\0\0half a record")
    rest = fencepost.check(program(), resume=str(state))
    assert rest.executions == fencepost.check(program()).executions
    assert any("the last 18 bytes are no whole record" in w for w in rest.warnings)


@pytest.mark.parametrize(
    "options",
    [{"ignore": ("race",)}, {"leaks": True}, {"keep_going": True}, {"unroll": 3},
     {"spin_detection": False}, {"spurious_wakeups": True}, {"spurious_failures": False}, {"max_events": 100},
     {"model": "sc"}],
    ids=lambda o: next(iter(o)),
)  # fmt: skip
def test_another_option_is_another_question(state: Path, options: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="saved for another program, model, option or version"):
        fencepost.check(program(), resume=str(state), **options)


@pytest.mark.parametrize("options", [{"time_limit": 60.0}, {"jobs": 2}, {"accept_bounds": True}, {"memory": 4096}])
def test_how_long_and_how_loud_may_change(state: Path, options: dict[str, object]) -> None:
    assert fencepost.check(program(), resume=str(state), **options).executions == fencepost.check(program()).executions


def test_another_program_is_another_question(state: Path) -> None:
    for text in (PROGRAM.replace("Q:s", "R:a"), PROGRAM.replace("y := 1;", "y := 2;"), PROGRAM.replace("true", "so")):
        with pytest.raises(UsageError, match="saved for another"):
            fencepost.check(read_text(text, "t.fp"), resume=str(state))


def test_the_outcomes_are_another_question(state: Path) -> None:
    with pytest.raises(UsageError, match="saved for another"):
        fencepost.outcomes(program(), resume=str(state))


def test_another_text_of_the_same_model_is_another_question(tmp_path: Path) -> None:
    """Also where the text is in a file that the model includes. Each run is a process: models are read once in each."""
    (tmp_path / "t.fp").write_text(PROGRAM)
    (tmp_path / "mine.cat").write_text('"mine"\ninclude "part.cat"\nacyclic hb as order\n')

    def run(text: str, *arguments: str) -> str:
        (tmp_path / "part.cat").write_text(f"let hb = {text}\n")
        command = [sys.executable, "-m", "fencepost", "check", "--model", "mine.cat", *arguments, "t.fp"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    assert "2 executions" in run("po | rf | co | fr", "--max-executions", "2", "--save", "state")
    assert "PASS" in run("po | rf | co | fr", "--resume", "state")
    assert "saved for another" in run("po | rf | co | fr | rmw", "--resume", "state")
    assert "all candidates are enumerated" in run("po-loc | rf | co | fr", "--resume", "state")


def test_every_member_of_the_structs_is_saved() -> None:
    for kind, members in structs.MEMBERS.items():
        assert set(members) == {name for name in dir(kind) if isinstance(getattr(kind, name), property)}, kind


LATE_STARTS = """var x, y
fn adds() { FADD(x, 1); FADD(x, 1) }
fn both() { FADD(y, 1); FADD(x, 1) }
thread P {
  a := spawn adds()
  r := x
  b := spawn both()
  s := y
  t := x
  c := spawn adds()
  join(a); join(b); join(c)
  assert(r <= t)
}
"""


@pytest.mark.parametrize("model", ["rc11", "armv8"])
def test_threads_keep_their_numbers(tmp_path: Path, model: str) -> None:
    """Some are started before the exploration is saved, and some after it goes on."""
    p, file = read_text(LATE_STARTS, "t.fp"), tmp_path / "state"
    whole = fencepost.check(p, model=model, reductions=False)
    for most in range(1, whole.executions, whole.executions // 7):
        fencepost.check(p, model=model, max_executions=most, save=str(file))
        rest = fencepost.check(p, model=model, resume=str(file))
        assert (rest.answer, rest.executions, rest.blocked) == (whole.answer, whole.executions, whole.blocked)
    assert fencepost.check(p, model=model, reductions=False, jobs=2).executions == whole.executions > 50
