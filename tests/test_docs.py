"""The documentation is true: every command shown is run, every link leads somewhere, tables come from the code.

FENCEPOST_PROMOTE=1 writes what the commands print now, and the tables as they are now, into the pages."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

import gallery
from doc_tables import DOCS, table
from fencepost import options
from fencepost.cli import VERBS, run
from fencepost.models.registry import find, names
from fencepost.testing import assert_verdict
from fencepost.testing.headers import headers, read_header

PAGES = sorted(p for p in DOCS.rglob("*.md"))
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
PROMOTE = bool(os.environ.get("FENCEPOST_PROMOTE"))
each_page = pytest.mark.parametrize("page", PAGES, ids=[str(p.relative_to(DOCS)) for p in PAGES])
shown = [p for p in PAGES if CONSOLE.search(p.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", shown, ids=[str(p.relative_to(DOCS)) for p in shown])
def test_commands_print_what_the_page_says(page: Path, tmp_path: Path) -> None:
    """Blocks of a page run one after the other in a copy of docs/examples."""
    folder = tmp_path / "examples"
    shutil.copytree(DOCS / "examples", folder)
    text = page.read_text(encoding="utf-8")
    fresh = CONSOLE.sub(lambda block: f"```console\n{_run_block(block.group(1), folder)}```", text)
    if PROMOTE and _timeless(fresh) != _timeless(text):
        page.write_text(fresh, encoding="utf-8")
        return
    assert _timeless(fresh) == _timeless(text), f"{page.name}: FENCEPOST_PROMOTE=1 accepts the change"


def _run_block(block: str, folder: Path) -> str:
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n{_run(command, folder)}" for command in commands)


def _run(command: str, folder: Path) -> str:
    simple = command.startswith("fencepost ") and not set(command) & set("|;$")
    output = _run_here(command, folder) if simple else _run_in_shell(command, folder)
    return output if output.endswith("\n") or not output else output + "\n"


def _run_here(command: str, folder: Path) -> str:
    """Without a process: a page has many commands, and starting Python is most of their time."""
    words, target = shlex.split(command)[1:], ""
    if len(words) > 2 and words[-2] == ">":
        target = words[-1]
        words = words[:-2]
    out = StringIO()
    with chdir(folder), redirect_stdout(out), redirect_stderr(out):
        run(words)
    if not target:
        return out.getvalue()
    (folder / target).write_text(out.getvalue(), encoding="utf-8")
    return ""


def _run_in_shell(command: str, folder: Path) -> str:
    """pytest is that of the running interpreter, whatever PATH has; it leaves no cache and does not warn of its plugin,
    which only an editable install makes it do."""
    settings = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
        "PYTEST_ADDOPTS": "-p no:cacheprovider -W ignore::pytest.PytestAssertRewriteWarning",
    }
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "PYTHON", "COLUMNS"))}
    own = f'pytest() {{ {shlex.quote(sys.executable)} -m pytest "$@"; }}'
    shell = ["bash", "-c", f"exec 2>&1; {own}; {command}"]
    return subprocess.run(shell, cwd=folder, env=kept | settings, text=True, stdout=subprocess.PIPE).stdout


def _timeless(text: str) -> str:
    return re.sub(r"\d+\.\d+ ?s\b|(?<=Time SB )\d+\.\d+", "0.00 s", text)


# --- what promoting cannot change: the examples say themselves what must come out

EXAMPLES = sorted(p for p in (DOCS / "examples").iterdir() if p.is_file() and "fencepost:" in p.read_text("utf-8"))


@pytest.mark.parametrize("example", EXAMPLES, ids=[p.name for p in EXAMPLES])
def test_examples_do_what_they_expect(example: Path) -> None:
    header = re.search(r"fencepost:(.*)", example.read_text(encoding="utf-8"))
    assert header is not None
    settings = read_header(header.group(1))
    assert_verdict(example, settings.pop("expect"), **settings)


def test_the_tutorial_tells_the_story_that_it_explains() -> None:
    """Its prose speaks of these: a page promoted from a broken build must not pass."""
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    for phrase in (
        "missed 42 of step 1",
        "no error under sc",
        "no error under tso",
        "then every\n         execution passes",
    ):
        assert phrase in text
    assert text.count(" PASS ") == 3 and text.count(" FAIL ") == 2


SHIPPED = sorted(p for p in gallery.FOLDER.parent.rglob("*") if headers(p))


@pytest.mark.parametrize("example", SHIPPED, ids=[p.name for p in SHIPPED])
def test_shipped_examples_do_what_they_expect(example: Path) -> None:
    for _, header in headers(example):
        settings = read_header(header)
        if example.parent == gallery.FOLDER and "flags" not in settings:
            continue  # the page of the gallery is made of it
        assert_verdict(example, settings.pop("expect"), **settings)


def test_the_gallery_is_that_of_the_examples() -> None:
    place, text = DOCS / "gallery.md", gallery.page()
    if PROMOTE:
        place.write_text(text, encoding="utf-8")
    assert place.read_text(encoding="utf-8") == text, "FENCEPOST_PROMOTE=1 accepts the change"


LISTING = re.compile(r"^```(c|cpp)\n// docs/examples/(\S+)\n(.*?)^```$", re.M | re.S)


@each_page
def test_listings_are_the_files_that_they_name(page: Path) -> None:
    """So what is printed compiles and does what the page says of it."""
    text = page.read_text(encoding="utf-8")
    fresh = LISTING.sub(lambda m: f"```{m[1]}\n// docs/examples/{m[2]}\n{_source(m[2])}```", text)
    if PROMOTE:
        page.write_text(fresh, encoding="utf-8")
    assert fresh == text or PROMOTE, f"{page.name}: FENCEPOST_PROMOTE=1 accepts the change"


def _source(name: str) -> str:
    lines = (DOCS / "examples" / name).read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("// fencepost:"))


# --- links

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def _anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in heads}


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in LINK.findall(prose):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        file, _, anchor = target.partition("#")
        there = (page.parent / file).resolve() if file else page
        assert there.exists(), f"{page.name} links to {target}"
        assert not anchor or anchor in _anchors(there), f"{page.name} links to {target}"


def test_the_site_builds(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="mkdocs is not installed (pip install fencepost[docs])")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=DOCS.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for page in (tmp_path / "site").rglob("*.html"):
        loaded = re.findall(r"""<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)""", page.read_text("utf-8"))
        assert not loaded, f"{page.name} loads {loaded[0]}"


# --- completeness, and tables that come from the code


def test_every_verb_and_every_model_has_its_page() -> None:
    missing = [f"verbs/{v.name}.md" for v in VERBS if not (DOCS / "verbs" / f"{v.name}.md").exists()]
    missing += [f"models/{m}.md" for m in names() if not (DOCS / "models" / f"{m}.md").exists()]
    assert not missing, "write these pages and name them in mkdocs.yml"


@pytest.mark.parametrize("name", names())
def test_the_behaviours_of_a_model(name: str) -> None:
    _same_section(DOCS / "models" / f"{name}.md", "behaviours", table(find(name)))


@each_page
def test_option_tables(page: Path) -> None:
    for kind in re.findall(r"<!-- options (\w+) -->", page.read_text(encoding="utf-8")):
        _same_section(page, f"options {kind}", options.markdown(getattr(options, kind)))


def _same_section(page: Path, name: str, wanted: str) -> None:
    text = page.read_text(encoding="utf-8")
    start, end = (
        text.index(f"<!-- {name} -->\n") + len(f"<!-- {name} -->\n"),
        text.index("<!-- end -->", text.index(name)),
    )
    if PROMOTE:
        page.write_text(text[:start] + wanted + text[end:], encoding="utf-8")
    else:
        assert text[start:end] == wanted, f"{page.name}: FENCEPOST_PROMOTE=1 accepts the change"
