"""The page in a real browser: every kind of witness is clicked through; a large one stays responsive."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

import pytest
from samples import SAMPLES, large, sources, verdict

import browser
import fencepost
from browser import Browser
from fencepost.report.html import render

pytestmark = pytest.mark.skipif(browser.find() is None, reason="Chromium is not installed")


@pytest.fixture(scope="module")
def chrome() -> Iterator[Browser]:
    with Browser() as b:
        yield b


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    for name, sample in SAMPLES.items():
        (tmp_path / f"{name}.html").write_text(render(verdict(sample()), sources()), encoding="utf-8")
    return tmp_path


def count(chrome: Browser, selector: str) -> int:
    return int(chrome.run(f"document.querySelectorAll({selector!r}).length"))


def lit(chrome: Browser) -> str | None:
    found = chrome.run("document.querySelector('.source:not([hidden]) .lit')?.dataset.line ?? null")
    return str(found) if found is not None else None


@pytest.mark.parametrize("name", SAMPLES)
def test_stepping_through_the_story(chrome: Browser, pages: Path, name: str) -> None:
    chrome.open(pages / f"{name}.html")
    steps = count(chrome, ".event[data-step]:not([data-step='0'])")
    data = chrome.run("JSON.parse(document.getElementById('data').textContent).moments")
    assert len(data) == steps
    assert count(chrome, ".future") == 0, "at first everything is shown"
    for number in range(1, steps + 1):
        chrome.click("#next")
        assert chrome.run("document.querySelector('.event.current').dataset.step") == str(number)
        assert chrome.run("document.getElementById('step').textContent") == f"step {number} of {steps}"
        assert count(chrome, ".event.future") == steps - number
        assert lit(chrome) == str(data[number - 1]["line"])
    assert chrome.run("document.getElementById('next').disabled") is True
    chrome.click("#back")
    assert chrome.run("document.querySelector('.event.current').dataset.step") == str(steps - 1)
    chrome.click("#all")
    assert count(chrome, ".future") == 0 and count(chrome, ".current") == 0
    assert chrome.complaints() == []


def test_edges_can_be_switched_off_and_on(chrome: Browser, pages: Path) -> None:
    chrome.open(pages / "assertion_rc11.html")

    def visible(kind: str) -> int:
        return int(
            chrome.run(f"[...document.querySelectorAll('.edge.{kind}')].filter(e => e.checkVisibility()).length")
        )

    assert visible("rf") == 2 and visible("co") == 0
    chrome.click(".kinds .co input")
    assert visible("co") == 1
    chrome.click(".kinds .rf input")
    assert visible("rf") == 1, "the one in the cycle stays until the cycle is switched off"
    chrome.click(".kinds input[value=cycle]")
    assert visible("rf") == 0
    assert count(chrome, ".edge.cycle") == 4


def test_hovering_shows_source_and_value(chrome: Browser, pages: Path) -> None:
    chrome.open(pages / "assertion_rc11.html")
    chrome.hover(".event[data-step='4']")
    text = chrome.run("document.getElementById('tip').innerText")
    assert "reader reads data = 0 (relaxed)" in text and "missed 42 of step 1" in text and "mp.c:13" in text
    assert lit(chrome) == "13"
    assert count(chrome, ".edge.near") >= 2
    chrome.hover("h1")
    assert chrome.run("document.getElementById('tip').hidden") is True


def test_the_memory_of_each_thread_is_shown_while_stepping(chrome: Browser, pages: Path) -> None:
    chrome.open(pages / "assertion_rc11.html")

    def cells() -> list[list[str]]:
        script = "[...document.querySelectorAll('#memory tbody tr')].map(r => [...r.children].map(c => c.textContent))"
        return list(chrome.run(script))

    assert chrome.run("document.getElementById('memory').hidden") is True, (
        "before stepping there is no moment to speak of"
    )
    chrome.click("#next")
    assert cells() == [["data", "42", "0 or 42"], ["flag", "0", "0"]]
    chrome.click("#next")
    chrome.click("#next")
    assert cells() == [["data", "42", "0 or 42"], ["flag", "1", "1"]]
    assert count(chrome, "#memory td.new") == 1 and count(chrome, "#memory td.several") == 1
    chrome.click("#all")
    assert chrome.run("document.getElementById('memory').hidden") is True


def test_long_lines_are_wrapped(chrome: Browser, pages: Path) -> None:
    chrome.open(pages / "assertion_rc11.html")
    assert chrome.run("[...document.querySelectorAll('.source')].every(s => s.scrollWidth <= s.clientWidth)")


def test_clicking_a_line_goes_to_its_step(chrome: Browser, pages: Path) -> None:
    chrome.open(pages / "assertion_rc11.html")
    chrome.click(".source [data-line='12']")
    assert chrome.run("document.querySelector('.event.current').dataset.step") == "3"


def test_everything_works_from_the_keyboard(chrome: Browser, pages: Path) -> None:
    chrome.open(pages / "deadlock.html")
    chrome.press("ArrowRight")
    chrome.press("ArrowRight")
    assert chrome.run("document.querySelector('.event.current').dataset.step") == "2"
    chrome.press("End")
    assert chrome.run("document.querySelector('.event.current').dataset.step") == "6"
    chrome.press("Home")
    chrome.press("Escape")
    assert count(chrome, ".current") == 0
    for _ in range(40):
        chrome.press("Tab")
        if chrome.run("document.activeElement.classList.contains('event')"):
            break
    assert chrome.run("document.activeElement.getAttribute('aria-label')").startswith("step 1: locks accounts")
    assert chrome.run("document.getElementById('tip').hidden") is False
    chrome.press("Enter")
    assert chrome.run("document.querySelector('.event.current').dataset.step") == "1"
    assert "transfer locks accounts" in chrome.run("document.getElementById('say').textContent")


def test_light_and_dark(chrome: Browser, pages: Path, tmp_path: Path) -> None:
    def background() -> str:
        return str(chrome.run("getComputedStyle(document.documentElement).backgroundColor"))

    chrome.scheme("dark")
    chrome.open(pages / "race.html")
    dark = background()
    chrome.scheme("light")
    assert (light := background()) != dark
    chrome.click("#theme")
    assert background() == dark
    chrome.click("#theme")
    assert background() == light


def test_contrast_of_text_is_readable(chrome: Browser, pages: Path) -> None:
    """WCAG AA: 4.5 to 1 for the text in boxes, in both themes."""
    script = """(() => {
      const lum = (c) => { const [r, g, b] = c.match(/[0-9.]+/g).map((v) => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
        return .2126 * r + .7152 * g + .0722 * b; };
      let worst = 99;
      for (const g of document.querySelectorAll('.event')) for (const t of g.querySelectorAll('text:not(.number)')) {
        const a = lum(getComputedStyle(t).fill), b = lum(getComputedStyle(g.querySelector('rect')).fill);
        worst = Math.min(worst, (Math.max(a, b) + .05) / (Math.min(a, b) + .05)); }
      return worst; })()"""  # noqa: E501 - a script, not prose
    for scheme in ("light", "dark"):
        chrome.scheme(scheme)
        chrome.open(pages / "assertion_rc11.html")
        assert chrome.run(script) >= 4.5, scheme
    chrome.scheme("light")


def test_it_prints(chrome: Browser, pages: Path) -> None:
    chrome.open(pages / "use_after_free.html")
    assert chrome.pdf().startswith(b"%PDF")
    chrome.call("Emulation.setEmulatedMedia", media="print")
    assert chrome.run("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert chrome.run(
        "document.querySelector('.source').scrollHeight <= document.querySelector('.source').clientHeight + 2"
    )
    chrome.call("Emulation.setEmulatedMedia", media="")


def test_a_narrow_window_stacks(chrome: Browser, pages: Path) -> None:
    chrome.resize(480, 800)
    chrome.open(pages / "race.html")
    tops = chrome.run("['#graph', 'aside'].map(s => document.querySelector(s).getBoundingClientRect().top)")
    assert tops[0] < tops[1]
    assert chrome.run("document.documentElement.scrollWidth <= 480")
    chrome.resize(1400, 900)


def test_long_names_fit_a_phone(chrome: Browser, tmp_path: Path) -> None:
    chrome.resize(390, 844)
    long = "connection_statistics_of_the_primary_listener"
    text = f"var {long}_data, {long}_flag\nthread writer {{ {long}_data.na := 1; {long}_flag := 1 }}\n"
    text += f"thread reader {{ a := {long}_flag; if a == 1 {{ d := {long}_data.na }} }}\n"
    (tmp_path / "long.html").write_text(render(fencepost.check(text)), encoding="utf-8")
    chrome.open(tmp_path / "long.html")
    chrome.click("#next")
    assert chrome.run("document.documentElement.scrollWidth <= 390")
    chrome.resize(1400, 900)


def test_two_hundred_events_stay_responsive(chrome: Browser, tmp_path: Path) -> None:
    """The median of a step, class changes, scrolling and painting included, stays below 150 ms on a busy machine."""
    page = tmp_path / "large.html"
    page.write_text(render(verdict(large())), encoding="utf-8")
    chrome.open(page)
    assert count(chrome, ".event") >= 200
    times = chrome.run("""(async () => {
      const frame = () => new Promise((r) => requestAnimationFrame(() => setTimeout(r)));
      const times = [];
      for (let i = 0; i < 60; i++) { const t = performance.now(); document.getElementById('next').click(); await frame(); times.push(performance.now() - t); }
      return times; })()""")  # noqa: E501 - a script, not prose
    assert sorted(times)[30] < 150
    assert chrome.run("document.getElementById('graph').scrollTop > 500"), "the current step is brought into view"
    assert chrome.run("getComputedStyle(document.getElementById('heads')).visibility") == "visible"
    readable = "parseFloat(getComputedStyle(document.querySelector('.event .main')).fontSize)"
    scale = "(s => s.getBoundingClientRect().width / s.viewBox.baseVal.width)(document.querySelector('#graph svg'))"
    assert chrome.run(f"{readable} * {scale}") >= 10
    chrome.click("#fit")
    assert chrome.run("document.querySelector('#graph svg').getBoundingClientRect().height <= 900")
    assert chrome.complaints() == []


def test_a_frame_that_is_laid_out_late_is_readable(chrome: Browser, pages: Path, tmp_path: Path) -> None:
    """Notebooks run the script of a cell's frame before they give it any room."""
    outer = tmp_path / "notebook.html"
    page = escape((pages / "deadlock.html").read_text(encoding="utf-8"), quote=True)
    style = "width:900px;height:620px;display:none"
    outer.write_text(f'<iframe id="f" srcdoc="{page}" style="{style}"></iframe>', encoding="utf-8")
    chrome.open(outer)
    chrome.until("document.getElementById('f').contentDocument?.body?.dataset.ready === 'yes'")
    chrome.run("document.getElementById('f').style.display = 'block'")
    size = "parseInt(document.getElementById('f').contentDocument.getElementById('zoom').textContent)"
    assert chrome.until(f"{size} >= 70 && {size}") >= 70
