"""Does the laboratory have teeth? Breaks one thing at a time and says whether that is found.

    python tests/lab/mutants.py --work /tmp/mutants              # all of mutants.toml
    python tests/lab/mutants.py --work /tmp/mutants --only psc   # those whose name contains this
    python tests/lab/mutants.py --work /tmp/mutants --record a.json   # keeps what was found, and asks only the others
    python tests/lab/mutants.py --check                          # only whether each of them still fits the sources

The sources are copied to the working folder, built there for small programs, broken, asked and mended again. With an
editable install name a Python that has the dependencies but not fencepost itself (--python), so that it does not find
the original. The exit code is 1 where a mutant survives."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SECONDS = 60  # of processor time
PATIENCE = 20 * SECONDS  # on a busy machine
FOUND = "found"


@dataclass(frozen=True, slots=True)
class Mutant:
    name: str
    file: str
    old: str
    new: str
    only: str = ""
    test: str = ""

    @property
    def native(self) -> bool:
        return self.file.startswith("native/")

    def place(self, root: Path) -> Path | None:
        """The one file of those that `file` means where `old` stands exactly once."""
        found = [(p, p.read_text(encoding="utf-8").count(self.old)) for p in sorted(root.glob(self.file))]
        return next((p for p, n in found if n), None) if sum(n for _, n in found) == 1 else None

    def fits(self, root: Path) -> bool:
        return self.place(root) is not None


def mutants() -> list[Mutant]:
    text = (Path(__file__).parent / "mutants.toml").read_text(encoding="utf-8")
    return [Mutant(**entry) for entry in tomllib.loads(text)["mutant"]]


class Workshop:
    """A copy of the sources that can be broken, built and asked."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder, self.python = folder, python

    def prepare(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in ("src", "native", "tests", "benchmarks", "examples"):
            shutil.copytree(ROOT / name, self.folder / name, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("_core*.so", "__pycache__"))  # fmt: skip
        for name in ("CMakeLists.txt", "pyproject.toml"):
            shutil.copy(ROOT / name, self.folder / name)
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        self.run("cmake", "-S", ".", "-B", "build", "-G", "Ninja" if shutil.which("ninja") else "Unix Makefiles",
                 "-DSKBUILD=ON", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O0",
                 f"-DPython_EXECUTABLE={self.python}", *launcher)  # fmt: skip
        self.build()

    def build(self) -> None:
        self.run("cmake", "--build", "build", "--target", "_core", "--parallel", str(os.cpu_count() or 2))
        for library in (self.folder / "build").glob("_core*.so"):
            shutil.copy(library, self.folder / "src" / "fencepost" / library.name)

    def run(self, *command: str) -> None:
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")

    def finds(self, mutant: Mutant) -> bool:
        """Whether somebody complains about the sources as they are now."""
        if mutant.test:
            command = [self.python, "-m", "pytest", "-q", "-x", "-n", "0", *mutant.test.split()]
        else:
            command = [self.python, "tests/lab/campaign.py", "--minutes", str(SECONDS / 60), "--only", mutant.only,
                       "--stop-after", "1", "--cpu"]  # fmt: skip
        environment = os.environ | {"PYTHONPATH": str(self.folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return True  # it goes on for ever: nobody overlooks that
        if done.returncode < 0:
            return True  # it crashes: nobody overlooks that either
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(command)}: {done.stdout[-2000:]!r}{done.stderr[-2000:]!r}")
        return done.returncode == 1

    def examine(self, mutant: Mutant) -> str:
        path = mutant.place(self.folder)
        if path is None:
            return "does not fit"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        try:
            if mutant.native:
                self.build()
            return FOUND if self.finds(mutant) else "SURVIVES"
        finally:
            path.write_text(text, encoding="utf-8")


class Record:
    """What was said about each mutant; a file keeps it between runs."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.said: dict[str, str] = {}
        if path is not None and path.exists():
            self.said = json.loads(path.read_text(encoding="utf-8"))

    def keep(self, mutant: Mutant, said: str) -> None:
        self.said[mutant.name] = said
        if self.path is not None:
            self.path.write_text(json.dumps(self.said, indent=1), encoding="utf-8")


def asked(workshop: Workshop, mutant: Mutant) -> str:
    try:
        return workshop.examine(mutant)
    except RuntimeError as problem:
        return f"cannot be asked: {problem}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, help="the working folder")
    parser.add_argument("--only", default="", help="mutants whose name or file contains this")
    parser.add_argument("--record", type=Path, help="a file that keeps the answers; what it has is not asked again")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--check", action="store_true", help="only whether each mutant fits the sources")
    options = parser.parse_args()
    chosen = [m for m in mutants() if options.only in m.name or options.only in m.file]
    if options.check:
        wrong = [m.name for m in chosen if not m.fits(ROOT)]
        print("\n".join(wrong) or f"{len(chosen)} mutants fit")
        return int(bool(wrong))
    if options.work is None:
        parser.error("--work names no folder")
    record = Record(options.record)
    workshop = Workshop(options.work.resolve(), options.python)
    workshop.prepare()
    for mutant in sorted(chosen, key=lambda m: m.native):
        if mutant.name not in record.said:
            start = time.monotonic()
            record.keep(mutant, asked(workshop, mutant))
            print(f"{record.said[mutant.name]:12} {time.monotonic() - start:5.0f} s  {mutant.name}", flush=True)
    survivors = [m.name for m in chosen if record.said[m.name] != FOUND]
    print("\n".join([f"{len(chosen)} mutants, {len(chosen) - len(survivors)} found", *survivors]))
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main())
