"""The page of the gallery: every program of it with what Fencepost says about it, made from the programs themselves."""

from __future__ import annotations

import re
from contextlib import chdir
from pathlib import Path

import fencepost
from fencepost.testing import UnexpectedVerdictError, assert_verdict
from fencepost.testing.headers import headers, read_header

FOLDER = Path(fencepost.__file__).parent / "examples" / "gallery"
_HEAD = """# Ten bugs from real life

Each program has a bug that was found in real code, in its smallest form. `-DFIXED` compiles the repair. They are the
examples of the [playground](verbs/serve.md), and lie in `src/fencepost/examples/gallery`.

| program | what goes wrong |
|---|---|
"""


def page() -> str:
    programs = sorted(p for p in FOLDER.iterdir() if p.suffix in (".c", ".cpp"))
    rows = "".join(f"| [{p.name}](#{_anchor(_title(p))}) | {_kind(p)} |\n" for p in programs)
    return _HEAD + rows + "".join(_section(p) for p in programs)


def _section(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    comment = re.findall(r"^// ?(.*)$", text, re.M)
    prose = " ".join(comment[4:])
    code = text[text.index("#include") :]
    language = "c" if path.suffix == ".c" else "cpp"
    return f"\n## {_title(path)}\n\n{prose}\n\n```{language}\n{code}```\n\n```text\n{_said(path)}```\n"


def _said(path: Path) -> str:
    """What a person reads first: the head, the reason and the fix."""
    try:
        with chdir(path.parent):  # where it lies should make no difference to where lines are broken
            assert_verdict(Path(path.name), "pass", model="rc11")
    except UnexpectedVerdictError as found:
        assert found.verdict.errors[0].kind.value.replace("-", " ") == _kind(path), path.name
        lines = str(found).splitlines()[1:]
        why = next(i for i, line in enumerate(lines) if line.startswith("why"))
        rest = lines[why:]
        end = next((i for i, line in enumerate(rest) if not line), len(rest))
        return "\n".join([lines[0].strip(), *rest[:end]]) + "\n"
    raise AssertionError(f"{path.name} passes")


def _title(path: Path) -> str:
    comments = re.findall(r"^// ?(.*)$", path.read_text(encoding="utf-8"), re.M)
    return next(c for c in comments if not c.startswith("fencepost:"))


def _kind(path: Path) -> str:
    return str(read_header(headers(path)[0][1])["expect"]).replace("-", " ")


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
