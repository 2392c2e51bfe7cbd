"""Values in words and in notebooks, programs as strings, the cell magic, and what the pytest plugin repeats."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import fencepost
from fencepost.frontends import language_of
from fencepost.testing.headers import runs

BUFFERING = "var x, y\nthread A { x := 1; r := y }\nthread B { y := 1; r := x }\nforall (A:r == 1 || B:r == 1)\n"


def test_a_verdict_says_itself_in_words() -> None:
    found = fencepost.check(BUFFERING, model="tso")
    assert str(found) == "FAIL: the final state A:r = 0, B:r = 0 is against the condition under tso"
    assert found.why.startswith("thread B read x = 0") and "source.fp:2" in found.fix
    assert "source.fp:2  thread A" in found.story() and found.to_html().startswith("<!doctype html>")
    passed = fencepost.check(BUFFERING, model="sc")
    assert str(passed) == "PASS: the condition holds under sc"
    assert (passed.why, passed.fix) == ("the condition holds", "")


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("#include <stdatomic.h>\nint main(void) { }\n", ".c"),
        ("#include <atomic>\nint main() { }\n", ".cpp"),
        ("var x\nthread A { }\n", ".fp"),
        ('program "a" arch=fp\n', ".fpir"),
        ("X86 SB\n{ x=0; }\n P0 ;\n", ".litmus"),
        ("(* a comment *)\nC SB\n{}\nP0(int *x) { }\n", ".litmus"),
    ],
)
def test_the_language_of_a_text(text: str, suffix: str) -> None:
    assert language_of(text) == suffix


def test_models_side_by_side_in_a_notebook() -> None:
    found = fencepost.outcomes_by_model(BUFFERING, ["sc", "tso"])
    table = str(found._repr_html_())
    assert "<td>A:r=0; B:r=0</td><td>–</td><td>1</td>" in table and "sc: PASS, 3 states" in str(found)


def test_explanations_and_comparisons_have_pictures() -> None:
    forbidden = fencepost.explain(BUFFERING, "A:r=0 /\\ B:r=0", model="sc")
    page = str(forbidden._repr_html_())
    assert "forbidden by sc" in page and page.count("<svg") == 1 and ">fr<" in page
    different = fencepost.compare("sc", "tso", size=4)
    assert str(different._repr_html_()).count("<svg") == 2


class Shell:
    """What of IPython the extension uses."""

    def register_magic_function(self, function: Callable[[str, str], object], kind: str, name: str) -> None:
        assert (kind, name) == ("cell", "fencepost")
        self.magic = function


def test_the_cell_magic(capsys: pytest.CaptureFixture[str]) -> None:
    shell = Shell()
    fencepost.load_ipython_extension(shell)
    failed = shell.magic("--model tso", BUFFERING)
    assert isinstance(failed, fencepost.Verdict) and failed.answer is fencepost.Answer.FAIL
    constant = shell.magic("-DN=2 --model sc", "const N = 1\nvar x\nthread A { x := N; r := x; assert(r == 2) }")
    assert isinstance(constant, fencepost.Verdict) and constant.answer is fencepost.Answer.PASS
    states = shell.magic("--outcomes --model sc", BUFFERING)
    assert isinstance(states, fencepost.Outcomes) and len(states.states) == 3
    assert isinstance(shell.magic("--outcomes --models sc,tso", BUFFERING), fencepost.OutcomesByModel)
    assert shell.magic("--modle tso", BUFFERING) is None and shell.magic("--model 'tso", BUFFERING) is None
    assert "did you mean --model?" in capsys.readouterr().out


# --- pytest


def test_one_header_for_several_models() -> None:
    assert [(r["model"], r["expect"]) for r in runs("models=sc,tso expect=fail")] == [("sc", "fail"), ("tso", "fail")]
    assert runs("model=sc", unroll=3)[0]["unroll"] == 3 and runs("unroll=2", unroll=3)[0]["unroll"] == 2
    for wrong in ("models=", "models=sc model=tso"):
        with pytest.raises(ValueError, match="models="):
            runs(wrong)


def test_the_plugin_repeats_files_and_bounds_loops(tmp_path: Path) -> None:
    looping = "var x\nthread A { i := 0; while i < 5 { x := i; i := i + 1 } }\n"
    (tmp_path / "a.fp").write_text(f"// fencepost: models=sc,tso expect=unknown\n{looping}")
    (tmp_path / "b.fp").write_text(f"// fencepost: unroll=9 expect=pass\n{looping}")
    (tmp_path / "test_bound.py").write_text("def test_bound(fencepost_bound):\n    assert fencepost_bound == 2\n")
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "no:xdist", "-W"]
    command += ["ignore::pytest.PytestAssertRewriteWarning", "--rootdir", str(tmp_path)]
    given = subprocess.run([*command, "--fencepost-bound", "2"], cwd=tmp_path, capture_output=True, text=True)
    assert "4 passed" in given.stdout and "[tso] PASSED" in given.stdout, given.stdout
    (tmp_path / "pytest.ini").write_text("[pytest]\nfencepost_bound = 2\n")
    assert "4 passed" in subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    (tmp_path / "pytest.ini").write_text("[pytest]\nfencepost_bound = few\n")
    wrong = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "expected a whole number" in wrong.stdout + wrong.stderr
