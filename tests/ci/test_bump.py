"""`tools/bump.py`: the version and the changelog change together, or not at all."""

from __future__ import annotations

import importlib.util
import re
from datetime import date
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.source
ROOT = Path(__file__).parents[2]


def _bump() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bump", ROOT / "tools" / "bump.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LOG = "# Changelog\n\nNewest first.\n\n## 0.2.0 (not released yet)\n\n- New.\n\n## 0.1.0 (2025-01-02)\n\n- Old.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "src" / "fencepost").mkdir(parents=True)
    (tmp_path / "src" / "fencepost" / "_version.py").write_text('"""One place."""\n\n__version__ = "0.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(LOG)
    return tmp_path


def _version(root: Path) -> str:
    return (root / "src" / "fencepost" / "_version.py").read_text()


def test_a_release_has_its_day_and_its_number(root: Path) -> None:
    assert _bump().main(["0.3.0"], root) == 0
    today = date.today().isoformat()
    assert (root / "CHANGELOG.md").read_text() == LOG.replace("## 0.2.0 (not released yet)", f"## 0.3.0 ({today})")
    assert _version(root) == '"""One place."""\n\n__version__ = "0.3.0"\n'


def test_the_next_version_gets_a_section(root: Path) -> None:
    assert _bump().main(["0.2.0"], root) == 0
    assert _bump().main(["0.3.0", "--next"], root) == 0
    found = re.findall("^## (.*)$", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert found == ["0.3.0 (not released yet)", f"0.2.0 ({date.today().isoformat()})", "0.1.0 (2025-01-02)"]
    assert '"0.3.0"' in _version(root)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["0.3"], "bump: 0.3 is no version: expected X.Y.Z, X.Y.Za1, X.Y.Zb1 or X.Y.Zrc1\n"),
        (["0.1.0"], "bump: 0.1.0 should be later than 0.1.0, which is released\n"),
        (["0.1.0rc1"], "bump: 0.1.0rc1 should be later than 0.1.0, which is released\n"),
        (["0.4.0", "--next"], "bump: CHANGELOG.md has a section that is not released yet: release it first\n"),
    ],
)
def test_mistakes_change_nothing(
    root: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _bump().main(words, root) == 2
    assert capsys.readouterr().err == message
    assert (root / "CHANGELOG.md").read_text() == LOG
    assert '"0.2.0"' in _version(root)


def test_the_project_itself_can_be_bumped() -> None:
    bump, text = _bump(), (ROOT / "CHANGELOG.md").read_text()
    assert len(bump.OPEN.findall(text)) == 1
    assert f'"{bump.OPEN.findall(text)[0]}"' in (ROOT / bump.VERSION).read_text()
