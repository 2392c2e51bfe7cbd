"""Runs the tests as somebody who has only a wheel: in a new environment, in a folder outside the checkout.

python tools/from_wheel.py WHEEL FOLDER [arguments of pytest, such as tests/cli or -n 0]

FOLDER gets the environment and copies of the tests and of the files that they read; what is there already is used
again. Tests that look at the source tree are skipped and say so. The exit code is that of pytest.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPIED = ("tests", "docs", "examples", "benchmarks", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "pyproject.toml")


def main(words: list[str], root: Path = ROOT) -> int:
    if len(words) < 2 or not Path(words[0]).is_file():
        print("from_wheel: expected WHEEL FOLDER [arguments of pytest]", file=sys.stderr)
        return 2
    wheel, folder = Path(words[0]).resolve(), Path(words[1]).resolve()
    if folder.is_relative_to(root):
        print(f"from_wheel: {folder} lies in the checkout, whose sources would be found", file=sys.stderr)
        return 2
    python, work = folder / "venv" / "bin" / "python", folder / "work"
    if not python.exists():
        venv.create(folder / "venv", with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", f"{wheel}[test]"], check=True)
    copy(root, work)
    return subprocess.run([python, "-m", "pytest", *words[2:]], cwd=work).returncode


def copy(root: Path, work: Path) -> None:
    """The files that belong to the project, as they are now."""
    listed = subprocess.run(["git", "ls-files", "-z", "--", *COPIED], cwd=root, check=True, capture_output=True)
    for name in listed.stdout.decode().split("\0"):
        if name and (root / name).is_file():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, work / name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
