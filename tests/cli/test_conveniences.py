"""What makes every day easier: settings, folders, several models, flags in front of `--`, small verbs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fencepost.cli import VERBS, run
from fencepost.cli.frame import split
from fencepost.cli.settings import find

GOOD = "const N = 1\nvar x\nthread A { x := 1 }\nthread B { r := x; assert(r <= N) }\n"
BUFFERING = "var x, y\nthread A { x := 1; r := y }\nthread B { y := 1; r := x }\nforall (A:r == 1 || B:r == 1)\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.fp").write_text(GOOD)
    (tmp_path / "sb.fp").write_text(BUFFERING)
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    run([*words, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


# --- settings


def test_settings_are_defaults(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "fencepost.toml").write_text('model = "tso"\n[outcomes]\nmodel = "sc"\n')
    assert answer(capsys, "check", "sb.fp")["model"] == "tso"
    assert answer(capsys, "check", "sb.fp", "--model", "sc")["model"] == "sc"
    assert answer(capsys, "outcomes", "sb.fp")["model"] == "sc"


def test_settings_in_a_folder_above_in_pyproject(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "pyproject.toml").write_text('[tool.fencepost]\nmodel = "pso"\n')
    (here / "below").mkdir()
    monkeypatch.chdir(here / "below")
    found = find(Path.cwd())
    assert found is not None and found[1] == {"model": "pso"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model = 3\n", "model = 3; expected a value of type str"),
        ("unroll = true\n", "unroll = True; expected a value of type int"),
        ("[check]\nmodle = 'sc'\n", "there is no option 'modle'"),
        ("check = 1\n", "[check] is 1"),
        ("model = \n", "cannot be read: Invalid value"),
    ],
)
def test_wrong_settings_are_refused(here: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "fencepost.toml").write_text(text)
    assert run(["check", "good.fp"]) == 2
    error = capsys.readouterr().err
    assert message in error and "fencepost.toml" in error


# --- inputs


def test_flags_for_the_compiler_may_stand_anywhere() -> None:
    assert split(["-DN=3", "a.c", "--json", "-I", "x", "--", "-O1"]) == (["a.c", "--json"], ("-DN=3", "-I", "x", "-O1"))
    assert split(["-", "-h"]) == (["-", "-h"], ())


def test_a_constant_before_the_dashes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "check", "good.fp", "-DN=0")["verdict"] == "FAIL"
    assert run(["models", "-DN=0"]) == 2


def test_several_models(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "sb.fp", "--models", "sc,tso"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[:2]] == [["sc", "PASS"], ["tso", "FAIL"]]
    assert run(["check", "good.fp", "--models", "sc, tso"]) == 0
    assert run(["check", "good.fp", "--models", " ,"]) == 2


def test_a_folder(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "deep").mkdir()
    (here / "deep" / "sb.fp").write_text(f"// fencepost: model=tso expect=fail\n{BUFFERING}")
    (here / "wrong.fp").write_text(f"// fencepost: model=sc expect=fail\n{BUFFERING}")
    assert run(["check", "deep"]) == 0
    capsys.readouterr()
    assert run(["check", "."]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "2 runs, 1 failed"
    (here / "empty").mkdir()
    assert run(["check", "empty"]) == 2
    assert "no file below has" in capsys.readouterr().err


def test_c_on_standard_input(here: Path) -> None:
    text = "#include <assert.h>\nint main(void) {\n  assert(N == 1);\n}\n"
    command = [sys.executable, "-c", "from fencepost.cli import main; main()", "check", "-"]
    assert subprocess.run([*command, "-DN=1"], input=text, text=True, capture_output=True).returncode == 0
    failed = subprocess.run([*command, "-DN=2"], input=text, text=True, capture_output=True)
    assert failed.returncode == 1 and "<stdin>:3" in failed.stdout


# --- small verbs


def test_help_for_a_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help", "check"]) == 0
    assert capsys.readouterr().out.startswith("usage: fencepost check")


def test_the_difference_of_two_results(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for model in ("sc", "tso"):
        run(["check", "good.fp", "--model", model, "--json"])
        (here / f"{model}.json").write_text(capsys.readouterr().out)
    assert run(["diff", "sc.json", "sc.json"]) == 0
    assert capsys.readouterr().out == "no difference\n"
    assert run(["diff", "sc.json", "tso.json"]) == 1
    assert "model: sc -> tso" in capsys.readouterr().out
    assert run(["diff", "sc.json", "good.fp"]) == 2


def test_a_first_test(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "queue.h").write_text("static int size;\n")
    assert run(["init", "queue.h"]) == 0
    assert run(["check", "queue_test.c"]) == 0
    assert run(["init", "queue.h"]) == 2
    assert "exists already" in capsys.readouterr().err
    assert run(["init", "nowhere.h"]) == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_verb_and_option(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert all(verb.name in text for verb in VERBS)
    assert ("--no-spin-detection" if shell != "fish" else "-l no-spin-detection") in text
    if shell == "bash":
        script = f"{text}\nCOMP_WORDS=(fencepost ch); COMP_CWORD=1; _fencepost; echo ${{COMPREPLY[@]}}"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
        assert done.stdout.split() == ["check"]


def test_completion_for_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", "tcsh"]) == 2
    assert "expected bash, zsh or fish" in capsys.readouterr().err
