"""README shows what the tool prints, and every link in the pages of the root leads somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
SESSION = re.compile(r"(```console\n\$ (fencepost [^\n]*)\n)(.*?)(```)", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")


def printed(command: str) -> str:
    words = [sys.executable, "-c", "from fencepost.cli import main; main()", *command.split()[1:]]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert done.stderr == ""
    return re.sub(r"\d+\.\d\d s\b", "0.00 s", done.stdout)


def test_shown_commands_print_what_is_shown(request: pytest.FixtureRequest) -> None:
    text = README.read_text(encoding="utf-8")
    assert len(SESSION.findall(text)) >= 2
    fresh = SESSION.sub(lambda m: m[1] + printed(m[2]) + m[4], text)
    if request.config.getoption("--promote"):
        README.write_text(fresh, encoding="utf-8")
        return
    assert text == fresh, "pytest --promote tests/cli/test_readme.py brings the page up to date"


def test_python_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = [target for target in LINK.findall(page.read_text(encoding="utf-8")) if not (ROOT / target).exists()]
    assert not broken
