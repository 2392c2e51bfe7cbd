"""The playground and the page of a witness in a real browser: mouse, keyboard alone, light, dark, width of a phone.
FENCEPOST_SCREENSHOTS=FOLDER keeps what was seen."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import browser
import fencepost
from browser import Browser
from fencepost.report import html

pytestmark = pytest.mark.skipif(browser.find() is None, reason="Chromium is not installed")
READY = "document.body?.dataset.ready"
IDLE = "document.getElementById('progress').hidden"
SERVE = "from fencepost.cli import main; main()"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    command = [sys.executable, "-c", SERVE, "serve", "--no-browser", "--port", "0", "--time-limit", "20"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        yield process.stderr.readline().split()[-1]
        process.terminate()


@pytest.fixture
def page() -> Iterator[Browser]:
    with Browser(1360, 860) as chrome:
        yield chrome


def click(page: Browser, name: str) -> None:
    page.run(f"document.getElementById('{name}').click()")


def test_check_compare_outcomes_and_share(page: Browser, address: str) -> None:
    page.open(address)
    page.until(READY)
    assert "token" not in page.run("location.href")
    click(page, "check")
    page.until(f"{IDLE} && !document.getElementById('picture').hidden")
    assert page.run("document.querySelector('#answer .badge').textContent") == "FAIL"
    page.keep("check")
    click(page, "compare")
    page.until(f"{IDLE} && document.querySelectorAll('tbody tr').length == 5")
    answers = page.run(
        "[...document.querySelectorAll('tbody tr')].map(r => r.cells[0].textContent + r.cells[1].textContent)"
    )
    assert {"scPASS", "tsoPASS", "rc11FAIL"} <= set(answers)
    page.scheme("dark")
    page.keep("compare-dark")
    click(page, "outcomes")
    page.until(f"{IDLE} && document.querySelectorAll('thead th').length == 6")
    page.keep("outcomes-dark")
    click(page, "share")
    shared = page.until("location.hash.length > 20 && location.href")
    page.open("about:blank")
    page.open(shared)
    page.until(READY)
    assert "atomic_store_explicit(&data, 42" in page.run("document.querySelector('.cm-content').textContent")
    assert page.complaints(address.partition("?")[0], "data:") == []


def test_the_keyboard_alone_is_enough(page: Browser, address: str) -> None:
    page.open(address)
    page.until(READY)
    page.run("document.querySelector('.cm-content').focus()")
    page.press("a", control=True)
    page.type("int main(void) { return 0 }\n")
    page.press("Enter", control=True)
    page.until(f"{IDLE} && !!document.querySelector('.error')")
    assert "expected ';'" in page.run("document.querySelector('.error').textContent")
    assert page.run("document.querySelectorAll('.cm-lint-marker-error').length") == 1
    page.keep("compiler-error")
    page.press("Escape")
    page.press("Tab")
    assert not page.run("document.activeElement.closest('.editor')"), "Escape and Tab leave the editor"
    seen = set()
    page.run("document.querySelector('.skip').focus()")
    for _ in range(12):
        page.press("Tab")
        seen.add(page.run("document.activeElement.id"))
    assert {"example", "language", "model", "check", "outcomes", "compare", "share", "theme"} <= seen


def test_a_run_can_be_cancelled(page: Browser, address: str) -> None:
    page.open(address)
    page.until(READY)
    busy = "var x\\n" + "".join(f"thread T{k} {{ for i in 0..6 {{ x := {k} }} }}\\n" for k in range(6))
    page.run("const l = document.getElementById('language'); l.value = 'fp'; l.onchange()")
    page.run("document.querySelector('.cm-content').focus()")
    page.press("a", control=True)
    page.type(busy.replace("\\n", "\n"))
    click(page, "check")
    page.until("/executions/.test(document.getElementById('progress').textContent)")
    page.keep("progress")
    click(page, "cancel")
    page.until(f"{IDLE} && /Cancelled/.test(document.getElementById('answer').textContent)")


def test_the_width_of_a_phone(page: Browser, address: str) -> None:
    page.resize(390, 844)
    page.open(address)
    page.until(READY)
    click(page, "compare")
    page.until(f"{IDLE} && document.querySelectorAll('tbody tr').length == 5")
    assert page.run("document.documentElement.scrollWidth") <= 390
    page.keep("phone")
    page.run("document.getElementById('result').scrollIntoView()")
    page.keep("phone-result")


def test_a_page_without_its_token_asks_for_it(page: Browser, address: str) -> None:
    page.open(address.partition("?")[0])
    page.until("document.getElementById('ask')?.open")
    page.run(f"document.getElementById('token').value = '{address.rpartition('=')[2]}'")
    page.run("document.querySelector('#ask button').click()")
    page.until(READY)


def test_the_page_of_a_witness(page: Browser, tmp_path: Path) -> None:
    text = "var x, y\nthread A { x := 1; r := y }\nthread B { y := 1; r := x }\nforall (A:r == 1 || B:r == 1)\n"
    (tmp_path / "sb.fp").write_text(text)
    (tmp_path / "page.html").write_text(html.render(fencepost.check(tmp_path / "sb.fp", model="tso")))
    page.open(tmp_path / "page.html")
    page.until("!!document.getElementById('next')")
    page.keep("witness")
    page.press("ArrowRight")
    page.press("ArrowRight")
    assert "2" in page.run("document.getElementById('step').textContent")
    page.resize(390, 844)
    page.scheme("dark")
    assert page.run("document.documentElement.scrollWidth") <= 390
    page.keep("witness-phone-dark")
    assert page.complaints() == []
