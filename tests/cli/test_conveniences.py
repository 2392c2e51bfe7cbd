"""What makes every day easier: settings, folders, several models, flags in front of `--`, small verbs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from fencepost.cli import VERBS, run
from fencepost.cli.frame import split
from fencepost.cli.man import page
from fencepost.cli.settings import find
from fencepost.verdict import ExitCode

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
    found = find(str(Path.cwd()))
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
    assert split(["-DN=3", "a.c", "--json", "-I", "x", "--", "", "-O1", ""]) == (
        ["a.c", "--json"],
        ("-DN=3", "-I", "x", "-O1"),
    )
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
    assert "none of these files has a line" in capsys.readouterr().err


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
    assert run(["check", "queue_test.c"]) == 1, "a test that was not filled in is no PASS"
    assert "fill in what the threads do" in capsys.readouterr().out
    assert run(["init", "queue.h"]) == 2
    assert "exists already" in capsys.readouterr().err
    assert run(["init", "nowhere.h"]) == 2


def test_a_first_test_knows_the_functions_of_the_header(here: Path) -> None:
    (here / "chan.h").write_text(
        "struct chan { int n; };\nstatic void chan_init(struct chan *c) { c->n = 0; }\n"
        "/* bool old(struct chan *c); */\n"
        "static inline int chan_send(struct chan *c, int v) {\n  if (v) return chan(c);\n}\n"
    )
    assert run(["init", "chan.h"]) == 0
    text = (here / "chan_test.c").read_text()
    assert "\nstatic struct chan shared;\n" in text and "\n  chan_init(&shared);\n" in text
    assert "//   chan_init(struct chan *c)\n//   chan_send(struct chan *c, int v)\n\n" in text


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


# --- what the build system knows


def database(here: Path, *rows: tuple[str, str, str]) -> None:
    """compile_commands.json of (file, target, flags)."""
    entries = [
        {
            "directory": str(here),
            "file": file,
            "command": f"gcc -O2 -Wall {flags} -o CMakeFiles/{target}.dir/{file}.o -c {file}",
        }
        for file, target, flags in rows
    ]
    (here / "build").mkdir(exist_ok=True)
    (here / "build" / "compile_commands.json").write_text(json.dumps(entries))


def test_flags_and_files_of_a_build(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "inc").mkdir()
    (here / "inc" / "value.h").write_text("extern int value;\n")
    (here / "a.c").write_text('#include "value.h"\n#include <assert.h>\nint main(void) { assert(value == 2); }\n')
    (here / "b.c").write_text("int value = N;\n")
    database(here, ("a.c", "queue", "-Iinc -DN=2"), ("b.c", "queue", "-Iinc -D N=2"), ("b.c", "other", "-DN=3"))
    assert answer(capsys, "check", "--build", "build", "--target", "queue")["verdict"] == "PASS"
    assert answer(capsys, "check", "a.c", "b.c", "--build", "build")["verdict"] == "PASS"
    assert answer(capsys, "check", "--build", "build", "--target", "queue", "-UN", "-DN=1")["verdict"] == "FAIL"
    assert run(["check", "--build", "build", "--target", "nothing"]) == 2
    assert "it has: other, queue" in capsys.readouterr().err
    assert run(["check", "c.c", "--build", "build"]) == 2
    database(here, ("a.c", "queue", "-Iinc -DN=2"), ("b.c", "queue", "-DN=3"))
    assert run(["check", "--build", "build", "--target", "queue"]) == 2
    assert "with other flags" in capsys.readouterr().err


# --- every day


def test_an_unchanged_program_is_answered_at_once(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FENCEPOST_CACHE", str(here / "cache"))
    first = answer(capsys, "check", "sb.fp", "--model", "tso")
    again = answer(capsys, "check", "sb.fp", "--model", "tso")
    assert again == first | {"cached": True} and "cached" not in first
    assert "cached" not in answer(capsys, "check", "sb.fp", "--model", "tso", "--no-cache")
    assert "cached" not in answer(capsys, "check", "sb.fp", "--model", "sc")
    (here / "sb.fp").write_text(BUFFERING.replace("x := 1;", "x := 2;"))
    assert "cached" not in answer(capsys, "check", "sb.fp", "--model", "tso")
    run(["check", "sb.fp", "--model", "tso"])
    run(["check", "sb.fp", "--model", "tso"])
    assert "nothing changed" in capsys.readouterr().out


def test_a_header_that_changes_or_comes_before_counts(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was compiled is kept by its preprocessed text: a header that shadows another changes it."""
    monkeypatch.setenv("FENCEPOST_CACHE", str(here / "cache"))
    for folder in ("first", "second"):
        (here / folder).mkdir()
    (here / "second" / "value.h").write_text("#define VALUE 1\n")
    (here / "a.c").write_text("#include <assert.h>\n#include <value.h>\nint main(void) { assert(VALUE == 1); }\n")
    time.sleep(0.2)  # of files that were written a moment ago nothing is noted
    words = ("check", "a.c", "-Ifirst", "-Isecond")
    assert answer(capsys, *words)["verdict"] == "PASS"
    assert answer(capsys, *words)["cached"] is True
    assert {p.name for p in (here / "cache").iterdir()} == {"answers", "compiled", "read"}
    (here / "first" / "value.h").write_text("#define VALUE 2\n")
    assert answer(capsys, *words)["verdict"] == "FAIL"
    (here / "first" / "value.h").write_text("#define VALUE 1 // the same again\n")
    assert answer(capsys, *words)["verdict"] == "PASS"
    assert "error" in answer(capsys, *words, "-include", "nothing.h")


def test_a_damaged_entry_is_no_answer(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FENCEPOST_CACHE", str(here / "cache"))
    answer(capsys, "check", "sb.fp", "--model", "tso")
    (entry,) = (p for p in (here / "cache").rglob("*") if p.is_file())
    entry.write_bytes(entry.read_bytes().replace(b"FAIL", b"PASS"))
    again = answer(capsys, "check", "sb.fp", "--model", "tso")
    assert again["verdict"] == "FAIL" and "cached" not in again


def test_what_a_limit_cut_short_is_not_kept(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FENCEPOST_CACHE", str(here / "cache"))
    words = ("check", "good.fp", "--model", "sc", "--max-executions", "1")
    assert answer(capsys, *words)["verdict"] == "UNKNOWN"
    assert "cached" not in answer(capsys, *words)


def test_watching_answers_after_each_change(here: Path) -> None:
    """In a process of its own, as Ctrl-C ends it."""
    command = [sys.executable, "-c", "from fencepost.cli import main; main()", "check", "sb.fp", "--model", "tso"]
    with subprocess.Popen([*command, "--watch"], stdout=subprocess.PIPE, text=True, cwd=here) as process:
        assert process.stdout is not None
        assert "FAIL" in _until(process.stdout, "watching 1 file")
        (here / "sb.fp").write_text(GOOD)
        assert "PASS" in _until(process.stdout, "watching 1 file")
        (here / "sb.fp").write_text("var x\nthread { }\n")
        assert "error: sb.fp:2" in _until(process.stdout, "watching 1 file")
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == 2


def test_watching_is_for_people(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "does not go with --json" in str(answer(capsys, "check", "sb.fp", "--watch")["error"])


def test_a_folder_may_hold_what_is_no_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pipe that nobody writes to would be read for ever."""
    os.mkfifo(here / "pipe.fp")
    (here / "a.fp").write_text(f"// fencepost: model=sc expect=pass\n{GOOD}")
    assert run(["check", "."]) == 0
    assert "1 run, 0 failed" in capsys.readouterr().out


def _until(stream: IO[str], end: str) -> str:
    said = ""
    for line in stream:
        said += line
        if line.startswith(end):
            return said
    raise AssertionError(said)


def test_files_that_say_what_they_expect_are_checked_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, model in (("a.fp", "sc"), ("b.fp", "tso")):
        expect = "pass" if model == "sc" else "fail"
        (here / name).write_text(f"// fencepost: model={model} expect={expect}\n{BUFFERING}")
    assert run(["check", "a.fp", "b.fp"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "2 runs, 0 failed"
    assert run(["check", "?.fp", "--junit", "out.xml"]) == 0
    assert (here / "out.xml").read_text().count("<testcase") == 2
    (here / "a.fp").write_text(f"// fencepost: expect=fail\n{BUFFERING}")
    assert run(["check", "a.fp", "b.fp", "--model", "tso"]) == 0, "options are for files that do not say otherwise"


def test_hooks_leave_other_files_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--expected", "good.fp", "sb.fp"]) == 0
    assert "none of these files" in capsys.readouterr().out
    (here / "a.fp").write_text(f"// fencepost: model=sc expect=fail\n{BUFFERING}")
    assert run(["check", "--expected", "good.fp", "a.fp"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 run, 1 failed"


def test_one_page_for_several_models(here: Path) -> None:
    assert run(["check", "sb.fp", "--models", "sc,tso,pso", "--html", "page.html"]) == 1
    page = (here / "page.html").read_text()
    assert page.count("<details") == 3 and page.count('<details id="v1" open>') == 1 and "3 verdicts" in page


def test_globals_can_be_observed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.fp").write_text("var x\nthread A { x := 1 }\nthread B { x := 2 }\n")
    assert run(["outcomes", "a.fp"]) == 0
    assert "The program observes nothing" in capsys.readouterr().out
    assert run(["outcomes", "a.fp", "--observe", "x"]) == 0
    shown = capsys.readouterr().out
    assert "x=1;  (1)" in shown and "x=2;  (1)" in shown and "nothing" not in shown


def test_what_a_program_prints_does_not_steer_the_terminal(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.c").write_text(
        '#include <stdio.h>\n#include <assert.h>\nint main(void) { printf("\\033[31m\\a"); assert(0); }\n'
    )
    assert run(["check", "a.c"]) == 1
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and "\a" not in shown and "printed  main: \\e[31m\\a" in shown
    assert "found in the first execution" in shown
    assert run(["check", "\x1b[31m.fp"]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_the_manual_page_has_every_verb_and_option() -> None:
    text = page()
    assert all(f"\n.SS {verb.name}\n" in text for verb in VERBS)
    assert ".B \\-\\-no\\-spin\\-detection" in text and ".SH EXIT STATUS" in text
    assert not [line for line in text.splitlines() if line.startswith(("'", "..")) or "\n-" in line]


@pytest.mark.parametrize("word", ["-std=c99", "--std=c99"])
def test_the_version_of_the_language_may_follow_the_file(word: str, tmp_path: Path) -> None:
    path = tmp_path / "old.c"
    path.write_text("int x[__STDC_VERSION__ == 199901L ? 1 : -1];\nint main(void) { return x[0]; }\n", encoding="utf-8")
    assert run(["check", str(path), word]) == ExitCode.PASS
    assert run(["check", str(path)]) == ExitCode.BAD_INPUT
