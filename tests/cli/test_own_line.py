"""The line `// fencepost: ...` of a file holds for commands about that file alone; the command line wins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fencepost.cli import run
from fencepost.cli.patterns import inside

BUFFERING = "var x, y\nthread A { x := 1; r := y }\nthread B { y := 1; r := x }\nforall (A:r == 1 || B:r == 1)\n"
SIZED = "#ifndef SIZE\n#error SIZE\n#endif\n#include <assert.h>\nint main(void) { assert(SIZE == 2); }\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = run(["check", "--no-fix", *words])
    out = capsys.readouterr()
    return code, out.out + out.err


def test_the_model_of_the_line_holds(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "sb.fp").write_text(f"// fencepost: model=sc expect=fail\n{BUFFERING}")
    code, out = said(capsys, "sb.fp")
    assert code == 0 and "under sc" in out and out.endswith("sb.fp:1 asks for model=sc\n")
    assert "asks for" in said(capsys, "sb.fp")[1], "an answer that is remembered should say it, too"


@pytest.mark.parametrize(
    ("words", "answer"), [(["--model", "tso"], "tso"), (["--model", "rc11"], "rc11"), (["--models", "tso,ra"], "ra ")]
)
def test_the_command_line_wins(here: Path, capsys: pytest.CaptureFixture[str], words: list[str], answer: str) -> None:
    (here / "sb.fp").write_text(f"// fencepost: model=sc\n{BUFFERING}")
    code, out = said(capsys, "sb.fp", *words)
    assert code == 1 and answer in out and "asks for" not in out


def test_a_line_may_name_several_models_and_flags(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "sb.fp").write_text(f"// fencepost: models=sc,tso\n{BUFFERING}")
    run(["check", "sb.fp", "--json", "--no-fix"])
    found = json.loads(capsys.readouterr().out)["models"]
    assert {name: v["verdict"] for name, v in found.items()} == {"sc": "PASS", "tso": "FAIL"}
    assert said(capsys, "sb.fp", "--model", "sc")[0] == 0
    (here / "sized.c").write_text(f"// fencepost: flags=-DSIZE=2\n{SIZED}")
    assert said(capsys, "sized.c")[0] == 0
    assert said(capsys, "sized.c", "-USIZE", "-DSIZE=3")[0] == 1


def test_one_bound_puts_another_aside(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "loop.fp").write_text(
        "// fencepost: unroll=3\nvar x\nthread A { r := 0; while r < 9 { r := r + 1; x := r } }\n"
    )
    assert "more than 3 " in said(capsys, "loop.fp")[1]
    assert "more than 5 " in said(capsys, "loop.fp", "--unroll", "5")[1]
    assert said(capsys, "loop.fp", "--deepen", "--time-limit", "9")[0] == 0


def test_what_the_line_says_wrongly_has_a_place(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "sb.fp").write_text(f"\n// fencepost: unroll=many\n{BUFFERING}")
    code, out = said(capsys, "sb.fp")
    assert code == 2 and "sb.fp:2" in out and "expected a number" in out
    (here / "sb.fp").write_text(f"// fencepost: modle=tso\n{BUFFERING}")
    assert "sb.fp:1 says modle=tso, which is no option" in said(capsys, "sb.fp", "--model", "sc")[1]


def test_repair_and_relax_honour_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "sb.fp").write_text(f"// fencepost: model=tso\n{BUFFERING}")
    run(["repair", "sb.fp"])
    assert "under tso" in capsys.readouterr().out
    run(["relax", "sb.fp", "--model", "sc"])
    assert "under sc" in capsys.readouterr().out


def test_folders_of_environments_are_not_looked_into(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in (".hidden", "venv/lib", "own"):
        (here / folder).mkdir(parents=True)
        (here / folder / "sb.fp").write_text(f"// fencepost: model=sc\n{BUFFERING}")
    (here / "venv" / "pyvenv.cfg").touch()
    code, out = said(capsys, ".")
    assert code == 0 and "1 run" in out and "own/sb.fp" in out
    assert "1 run" in said(capsys, "venv/lib")[1], "what is named is looked into"


def test_the_first_test_has_no_bound_that_nobody_asked_for(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "ring.h").write_text("static int push(int *q, int v) { return *q = v; }\n")
    run(["init", "ring.h"])
    assert (here / "ring_test.c").read_text().startswith("// fencepost: model=rc11 expect=pass\n")


def test_the_command_line_wins_for_a_folder_as_for_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "sb.fp").write_text(f"// fencepost: model=tso expect=pass\n{BUFFERING}")
    assert said(capsys, ".")[0] == 1
    code, out = said(capsys, ".", "--model", "sc")
    assert code == 0 and "sb.fp:1  model=tso expect=pass [sc]" in out
    assert said(capsys, ".", "--models", "sc,tso")[1].endswith("2 runs, 1 failed\n")
    (here / "sb.fp").write_text(f"// fencepost: models=sc,tso expect=pass\n{BUFFERING}")
    assert said(capsys, ".", "--model", "sc")[1].endswith("1 run, 0 failed\n")
    (here / "sb.fp").write_text(f"// fencepost: expect=fail\n{BUFFERING}")
    assert said(capsys, ".", "--model", "rc11")[0] == 0, "the default, but said"


def test_flags_and_bounds_of_the_command_line_win_for_a_folder(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "sized.c").write_text(f"// fencepost: flags=-DSIZE=3\n{SIZED}")
    assert said(capsys, ".")[0] == 1
    assert said(capsys, ".", "-USIZE", "-DSIZE=2")[0] == 0
    (here / "sized.c").unlink()
    text = "// fencepost: unroll=3 expect=unknown\nvar x\nthread A { r := 0; while r < 9 { r := r + 1; x := r } }\n"
    (here / "loop.fp").write_text(text)
    assert "more than 5 " in said(capsys, ".", "--unroll", "5")[1] + said(capsys, "loop.fp", "--unroll", "5")[1]


def test_the_line_wins_over_the_settings_of_the_project(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "fencepost.toml").write_text('model = "tso"\n')
    (here / "sb.fp").write_text(f"// fencepost: model=sc expect=pass\n{BUFFERING}")
    assert said(capsys, ".")[0] == 0
    (here / "sb.fp").write_text(f"// fencepost: expect=pass\n{BUFFERING}")
    assert said(capsys, ".")[0] == 1


def test_a_folder_that_nobody_may_look_into_is_left_alone(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "sb.fp").write_text(BUFFERING)
    (here / "closed").mkdir()

    def closed(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", closed)
    assert inside(here) == [here / "sb.fp"]
