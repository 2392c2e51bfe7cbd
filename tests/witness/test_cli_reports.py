"""The reports where people work: the command line, pytest, notebooks."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from samples import SAMPLES, assertion_rc11, program, race, verdict

import fencepost
from fencepost.cli import run
from fencepost.errors import FencepostError
from fencepost.report.json import schema
from fencepost.testing import UnexpectedVerdictError, assert_safe, assert_verdict
from fencepost.testing.headers import read_header
from fencepost.verdict import Answer, Outcomes, Verdict
from fencepost.witness.codec import encode

EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples"
SARIF = json.loads((Path(__file__).parent / "data" / "sarif-schema-2.1.0.json").read_text())


def test_check_writes_every_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kinds = ("html", "svg", "dot", "sarif", "junit")
    options = [word for kind in kinds for word in (f"--{kind}", str(tmp_path / kind))]
    assert run(["check", str(EXAMPLES / "mp.fp"), *options]) == 1
    assert "missed 42 of step 1" in capsys.readouterr().out
    texts = {kind: (tmp_path / kind).read_text(encoding="utf-8") for kind in kinds}
    assert texts["html"].startswith("<!doctype html>") and texts["dot"].startswith("digraph")
    assert ElementTree.fromstring(texts["svg"]).tag.endswith("svg")
    assert ElementTree.fromstring(texts["junit"]).get("failures") == "1"
    jsonschema.validate(json.loads(texts["sarif"]), SARIF)


def test_json_goes_into_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(EXAMPLES / "mp.fp"), "--json"]) == 1
    text = capsys.readouterr().out
    jsonschema.validate(json.loads(text), schema())
    saved = tmp_path / "witness.json"
    saved.write_text(text)
    assert run(["replay", str(saved), "--html", str(tmp_path / "again.html")]) == 1
    assert "missed 42 of step 1" in capsys.readouterr().out
    assert "d := data" in (tmp_path / "again.html").read_text()
    found, _ = fencepost.replay(json.loads(text))
    assert found.answer is Answer.FAIL


@pytest.mark.parametrize("model", ["tso", "armv8"])
@pytest.mark.parametrize("question", ["~exists (P:r == 0 && Q:r == 0)", "forall (P:r == 1 || Q:r == 1)"])
def test_a_refuted_condition_has_a_witness(
    model: str, question: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sb.fp"
    file.write_text(f"var x, y\nthread P {{ x := 1; r := y }}\nthread Q {{ y := 1; r := x }}\n{question}\n")
    assert run(["check", str(file), "--model", model]) == 1
    text = capsys.readouterr().out
    assert "the final state P:r = 0, Q:r = 0 is against the condition" in text
    assert "then every execution passes" in " ".join(text.split())
    assert run(["check", str(file), "--model", "sc"]) == 0


def test_a_refuted_exists_has_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.fp"
    file.write_text("var x\nthread P { x := 1 }\nexists (x == 2)\n")
    assert run(["check", str(file), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["witness"] is None


def test_a_page_that_cannot_be_written_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(EXAMPLES / "mp.fp"), "--html", "/nowhere/x.html"]) == 2
    assert capsys.readouterr().err == "error: --html /nowhere/x.html: No such file or directory\n"


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_replays_from_its_file(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "witness.json"
    saved.write_text(json.dumps(encode(SAMPLES[name]())))
    assert run(["replay", str(saved)]) == 1
    assert "why  " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", ":1:2: Expecting property name"),
        ("[1]", ": the document is list; expected a JSON object"),
        ('{"schema": "x"}', ": found schema 'x'; expected 'fencepost/witness/1'"),
        ("\x00\x01", ":1:1: Expecting value; expected JSON"),
        ("[" * 100_000, ": the JSON nests too deeply"),
    ],
)
def test_bad_witness_files(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "w.json"
    saved.write_text(text)
    assert run(["replay", str(saved)]) == 2
    assert capsys.readouterr().err.startswith(f"error: {saved}{message}")


def test_a_witness_that_was_changed_does_not_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = encode(assertion_rc11())
    write = next(e for e in data["events"] if e["kind"] == "write")
    write["value"] = 41
    saved = tmp_path / "w.json"
    saved.write_text(json.dumps(data))
    assert run(["replay", str(saved)]) == 2
    assert "this witness does not replay: thread 0 should do event" in capsys.readouterr().err


def test_missing_witness_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", "/nowhere.json"]) == 2
    assert capsys.readouterr().err == "error: /nowhere.json: No such file or directory\n"


# --- pytest


def test_assert_safe() -> None:
    assert assert_safe(EXAMPLES / "mp-fixed.fp", model="rc11").answer is Answer.PASS
    with pytest.raises(UnexpectedVerdictError, match="missed 42 of step 1"):
        assert_safe(EXAMPLES / "mp.fp", model="rc11")
    assert_verdict(EXAMPLES / "mp.fp", "assertion")
    with pytest.raises(UnexpectedVerdictError, match="expected race"):
        assert_verdict(EXAMPLES / "mp.fp", "race")
    with pytest.raises(FencepostError, match="there is no option modle"):
        assert_safe(EXAMPLES / "mp.fp", modle="rc11")


def test_headers() -> None:
    assert read_header("model=rc11 expect=pass unroll=4") == {"model": "rc11", "expect": "pass", "unroll": 4}
    assert read_header("ignore=race,leak keep-going") == {
        "expect": "pass", "ignore": ("race", "leak"), "keep_going": True,
    }  # fmt: skip
    assert read_header("flags=-O1,-DN=3 time_limit=2.5")["flags"] == ("-O1", "-DN=3")
    for bad, message in (
        ("unrol=4", "there is no setting 'unrol'"),
        ("unroll=many", "unroll=many: expected a number"),
        ("keep_going=maybe", "expected true or false"),
    ):
        with pytest.raises(ValueError, match=message):
            read_header(bad)


def collected(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "fencepost", *options, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


def test_the_plugin_collects_files_with_a_header(tmp_path: Path) -> None:
    good, bad = (EXAMPLES / "mp-fixed.fp").read_text(), (EXAMPLES / "mp.fp").read_text()
    (tmp_path / "good.fp").write_text(good)
    (tmp_path / "bad.fp").write_text(bad)
    (tmp_path / "surprise.fp").write_text(bad.replace("expect=fail", "expect=pass"))
    (tmp_path / "both.fp").write_text("// fencepost: model=sc expect=pass\n" + bad)
    (tmp_path / "none.fp").write_text(good.replace("fencepost:", "nothing:"))
    (tmp_path / "binary.c").write_bytes(b"\x00\xff" * 100)
    done = collected(tmp_path, "-v")
    assert done.returncode == 1, done.stdout
    assert "4 passed" in done.stdout and "1 failed" in done.stdout
    assert "both.fp::model=sc expect=pass PASSED" in done.stdout
    assert "missed 42 of step 1" in done.stdout and "Traceback" not in done.stdout


def test_the_plugin_refuses_a_bad_header(tmp_path: Path) -> None:
    (tmp_path / "x.litmus").write_text("(* fencepost: modell=tso *)\n")
    done = collected(tmp_path)
    assert f"error: {tmp_path}/x.litmus:1: there is no setting 'modell'" in done.stdout


def test_the_plugin_shows_input_errors_plainly(tmp_path: Path) -> None:
    (tmp_path / "x.fp").write_text("// fencepost: model=rc11\nthread {\n")
    done = collected(tmp_path)
    assert "x.fp:2:" in done.stdout and "Traceback" not in done.stdout and done.returncode == 1


# --- notebooks


def test_values_show_themselves_in_notebooks() -> None:
    failed = verdict(race())
    page = failed._repr_html_()
    assert page is not None and page.startswith("<iframe") and "&lt;!doctype html&gt;" in page
    picture = failed._repr_svg_()
    assert picture is not None and picture.startswith("<svg")
    assert race()._repr_svg_() == picture and str(race()._repr_html_()).startswith("<iframe")
    passed = Verdict(Answer.PASS, "", "rc11", 2)
    assert "PASS" in str(passed._repr_html_()) and "no error in any execution under rc11" in str(passed._repr_svg_())
    found = Outcomes("sc", {(("a", 0), ("b", 1)): 3, (("a", 1), ("b", 1)): 1}, holds=True)
    assert "<td>0</td><td>1</td><td>3</td>" in str(found._repr_html_())
    odd = replace(program("mp"), name="<b>")
    assert "&lt;b&gt;" in str(odd._repr_html_())
    for value in (passed, found, odd):
        drawn = ElementTree.fromstring(str(value._repr_svg_()))
        texts = [t.text for t in drawn.iter("{http://www.w3.org/2000/svg}text")]
        assert drawn.get("class") == "fencepost" and len(texts) > 2 and all(texts)
    assert {"a=0 b=1", "3"} <= {t.text for t in ElementTree.fromstring(str(found._repr_svg_())).iter()}


def test_an_expectation_that_nothing_meets_is_a_mistake() -> None:
    with pytest.raises(FencepostError, match="expect=sunshine: there is no such verdict; expected one of pass, fail,"):
        assert_verdict(EXAMPLES / "mp.fp", "sunshine")
