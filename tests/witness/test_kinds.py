"""Each kind of error, found in a real program by the tool itself: the text that a person reads, a SARIF log that the
official schema accepts, a page that is clicked through in a browser, and a replay that ends in the same error."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from found import FAILING, FOUND, found, sources

import browser
from browser import Browser
from fencepost.report import html, sarif
from fencepost.report.json import schema, verdict_data
from fencepost.report.text import render
from fencepost.verdict import Answer
from fencepost.witness.story import tell
from golden import assert_golden

DATA = Path(__file__).parent / "data"
each_kind = pytest.mark.parametrize("name", FOUND)


@cache
def official() -> Any:
    text = json.loads((DATA / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
    return jsonschema.Draft7Validator(text, format_checker=jsonschema.FormatChecker())


@each_kind
def test_what_a_person_reads(name: str) -> None:
    """How many steps a C++ library makes out of sight is its own business: libc++ and libstdc++ differ."""
    text = re.sub(r"\d+\.\d\d s", "0.00 s", render(found(name), sources=sources()))
    text = re.sub(r"\(\d+ not shown\)", "(N not shown)", text)
    assert_golden(Path(__file__).parent / "golden" / "kinds" / f"{name}.txt", text)
    assert found(name).answer is Answer.FAIL
    assert found(name).errors[0].kind is FOUND[name][1]


@each_kind
def test_the_log_is_sarif(name: str) -> None:
    log = sarif.log([found(name)], sources())
    official().validate(log)
    (result,) = log["runs"][0]["results"]
    (flow,) = result["codeFlows"]
    story = tell(found(name).witness, sources())  # type: ignore[arg-type]
    assert [t["id"] for t in flow["threadFlows"]] == [c.name for c in story.columns]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].startswith(name)


def test_the_official_schema_can_refuse() -> None:
    log = sarif.log([found("race")], sources())
    log["runs"][0]["results"][0]["codeFlows"][0]["threadFlow"] = []
    with pytest.raises(jsonschema.ValidationError):
        official().validate(log)


@each_kind
def test_it_replays_from_its_file(name: str, tmp_path: Path) -> None:
    """In another process and another folder: the file stands alone."""
    data = verdict_data(found(name), sources())
    jsonschema.validate(data, schema())
    file = tmp_path / "witness.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    command = [sys.executable, "-m", "fencepost", "replay", str(file)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    told = render(found(name), sources=sources()).splitlines()
    assert done.stdout.splitlines()[:-1] == told[:-1], "only the figures of the run may differ"


@pytest.fixture(scope="module")
def chrome() -> Iterator[Browser]:
    with Browser() as b:
        yield b


@pytest.mark.skipif(browser.find() is None, reason="Chromium is not installed")
@each_kind
def test_the_page_is_clicked_through(chrome: Browser, name: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(html.render(found(name), sources()), encoding="utf-8")
    chrome.open(page)
    moments = chrome.run("JSON.parse(document.getElementById('data').textContent).moments")
    for moment in moments:
        chrome.click("#next")
        assert chrome.run("document.querySelector('.event.current').dataset.step") == str(moment["number"])
        lit = chrome.run("document.querySelector('.source:not([hidden]) .lit')?.dataset.line ?? null")
        assert int(lit) == moment["line"]
    assert chrome.run("document.getElementById('next').disabled") is True
    assert chrome.complaints() == []


#: What the report says would have prevented it, and that change made in the source.
FIXES: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "race": (
        "store to ready with release (race.cpp:15) and load ready with acquire (race.cpp:21)",
        (
            ("store(true, std::memory_order_relaxed)", "store(true, std::memory_order_release)"),
            ("load(std::memory_order_relaxed)", "load(std::memory_order_acquire)"),
        ),
    ),
    "assertion": (
        "store to ready with release (assertion.c:9)",
        (("&ready, 1, memory_order_relaxed", "&ready, 1, memory_order_release"),),
    ),
    "power": (
        "load flag[0] and flag[1] with seq-cst (power.c:10)",
        (("memory_order_acquire) == 0", "memory_order_seq_cst) == 0"),),
    ),
    "robustness": (
        "put a seq-cst fence before the load of wants1",
        (("wants0 := 1", "wants0 := 1; fence.sc"), ("wants1 := 1", "wants1 := 1; fence.sc")),
    ),
    "bounded": (
        "put a release fence before the store to ready",
        (
            ("data = 42;", 'data = 42;\n    __asm__ volatile("lwsync" ::: "memory");'),
            ("if (ready == 1)", 'if (ready == 1) {\n        __asm__ volatile("lwsync" ::: "memory");'),
            ("== 42);", "== 42); }"),
        ),
    ),
}


@pytest.mark.parametrize("name", FIXES)
def test_what_would_have_prevented_it_does(name: str, tmp_path: Path) -> None:
    """The change that the report asks for, made in the program: no execution fails any more."""
    said, changes = FIXES[name]
    assert said in " ".join(render(found(name), sources=sources()).lower().split())
    original = next(p for p in FAILING.iterdir() if p.stem == name)
    text = original.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / original.name).write_text(text)
    with chdir(tmp_path):
        verdict = FOUND[name][0]()
    assert verdict.answer is (Answer.BOUNDED if name == "bounded" else Answer.PASS), verdict.reason
