"""Does the laboratory have teeth? Breaks one thing at a time and says whether that is found.

    python tests/lab/mutants.py --work /tmp/mutants              # all of mutants.toml
    python tests/lab/mutants.py --work /tmp/mutants --only psc   # those whose name contains this
    python tests/lab/mutants.py --work /tmp/mutants --record a.json   # keeps what was found, and asks only the others
    python tests/lab/mutants.py --work /tmp/mutants --record a.json --again   # all of them, by what found each first
    python tests/lab/mutants.py --record a.json --write docs/how/oracles.md   # only put what it has into this page
    python tests/lab/mutants.py --check                          # only whether each of them still fits the sources

The sources are copied to the working folder, built there as a release is but for two widths of rows and less
optimisation, broken, asked and mended again. A complaint counts only where the sources as they were do not give it as
well. Mutants of Python and of models need no build. With an editable install name a Python that has the dependencies
but not fencepost itself (--python), so that it does not find the original. The exit code is 1 where a mutant
survives."""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from pages import put_between

ROOT = Path(__file__).parents[2]
SECONDS = 60  # of processor time
PATIENCE = 20 * SECONDS  # on a busy machine
FOUND = "found"
ENDLESS = "goes on for ever"
Question = tuple[str, ...]
#: Where the rows of one word are made of the headers that begin so.
NARROW = {
    "commit_engine": ("explore/commit_engine", "models/armv8_judge", "models/commit_rules", "models/cycle_search",
                      "models/happens", "models/imm_judge", "models/judged_graph", "models/known_before",
                      "models/power_judge", "models/riscv_judge", "models/tuned_judge"),
    "engine_narrow": ("explore/engine", "explore/symmetry", "models/consistency", "models/global_order",
                      "models/psc"),
}  # fmt: skip
PYTEST = ("-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider")


@dataclass(frozen=True, slots=True)
class Mutant:
    name: str
    file: str
    old: str
    new: str
    only: str = ""
    test: str = ""
    survives: str = ""  # why nobody finds it, where that is known

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


@dataclass(frozen=True, slots=True)
class Asked:
    """What was said about a mutant, the seconds of processor time that it took to build and to ask, and the question
    that found it."""

    said: str
    build: float = 0.0
    ask: float = 0.0
    by: tuple[str, ...] = ()


def narrowed(file: str) -> str | None:
    """The one source that most of what a mutant of this file breaks is built from."""
    starts = {made: tuple(f"native/{start}" for start in some) for made, some in NARROW.items()}
    return next((made for made, some in starts.items() if file.startswith(some)), None)


class Workshop:
    """A copy of the sources that can be broken, built and asked."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder, self.python = folder, python
        self.whole = folder / "whole"  # the core of the sources as they were
        self.stale: set[str] = set()  # what is built of a broken source
        self.all_stale = False  # any of it, until all is built again

    def prepare(self) -> None:
        """All sources are new, so that nothing is left that was built of one that was broken."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in ("src", "native", "tests", "benchmarks", "examples", "docs"):
            shutil.copytree(ROOT / name, self.folder / name, dirs_exist_ok=True, copy_function=shutil.copyfile,
                            ignore=shutil.ignore_patterns("_core*.so", "__pycache__"))  # fmt: skip
        for name in ("CMakeLists.txt", "pyproject.toml", "README.md", "CHANGELOG.md"):
            shutil.copy(ROOT / name, self.folder / name)
        for path in (self.folder / "native" / "explore").glob("*.cpp"):
            _two_widths(path)
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        self.run("cmake", "-S", ".", "-B", "build", "-G", "Ninja" if shutil.which("ninja") else "Unix Makefiles",
                 "-DSKBUILD=ON", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1 -DNDEBUG",
                 f"-DPython_EXECUTABLE={self.python}", *launcher)  # fmt: skip
        self.mend()
        self.whole.mkdir(exist_ok=True)
        for library in (self.folder / "build").glob("_core*.so"):
            shutil.copy(library, self.whole)
        self.install(self.whole)

    def build(self) -> bool:
        self.run("cmake", "--build", "build", "--target", "_core", "--parallel", os.environ.get("J", "2"))
        self.stale, self.all_stale = set(), True
        return True

    def mend(self) -> None:
        self.build()
        self.all_stale = False

    def build_narrow(self, path: Path) -> bool:
        """Only the rows that small programs need, beside the rest as it was. Who survives that is built as a whole."""
        narrow = narrowed(path.relative_to(self.folder).as_posix())
        if narrow is None or self.all_stale or not (self.folder / "build" / "build.ninja").exists():
            return False
        made = f"CMakeFiles/fencepost_core.dir/native/explore/{narrow}.cpp.o"
        stale, self.stale = sorted({made, *self.stale}), {made}
        self.run("ninja", "-C", "build", *stale)
        self.run("ar", "r", "build/libfencepost_core.a", *(f"build/{name}" for name in stale))
        told = subprocess.run(["ninja", "-C", "build", "-t", "commands", "_core"], cwd=self.folder,
                              capture_output=True, text=True, check=True)  # fmt: skip
        self.run("sh", "-c", f"cd build && {told.stdout.splitlines()[-1]}")
        return True

    def install(self, folder: Path) -> None:
        for library in folder.glob("_core*.so"):
            shutil.copy(library, self.folder / "src" / "fencepost" / library.name)

    def run(self, *command: str) -> None:
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")

    def complaint(self, question: Question) -> str | None:
        """What the laboratory says of the sources as they are now, where it does not find them good."""
        environment = os.environ | {"PYTHONPATH": str(self.folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [self.python, *question]
        try:
            done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True,
                                  timeout=PATIENCE, preexec_fn=_for_a_minute)  # fmt: skip
        except subprocess.TimeoutExpired:
            return ENDLESS
        if done.returncode == -signal.SIGXCPU:
            return ENDLESS
        if done.returncode < 0:
            return "crashes"
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(command)}: {done.stdout[-2000:]!r}{done.stderr[-2000:]!r}")
        return done.stdout if done.returncode else None

    def examine(self, mutant: Mutant, before: Question = ()) -> Asked:
        """`before`: what found it the last time, which is asked first."""
        path = mutant.place(self.folder)
        if path is None:
            return Asked("does not fit")
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        questions = [q for q in (before, question(mutant)) if q]
        start = _seconds()
        try:
            found, building = self._asked(mutant, path, questions)
            total = _seconds() - start
        finally:
            path.write_text(text, encoding="utf-8")
            self.install(self.whole)
            if self.all_stale and narrowed(mutant.file):  # those that follow are cheap but for this
                self.mend()
        times = round(building, 1), round(total - building, 1)
        if found is None:
            return Asked("SURVIVES", *times)
        by = repeated(*found)
        if self.complaint(by) is not None:
            return Asked("found without it as well", *times)
        return Asked(FOUND if times[1] <= 1.1 * SECONDS else "found late", *times, by)

    def _asked(
        self, mutant: Mutant, path: Path, questions: list[Question]
    ) -> tuple[tuple[Question, str] | None, float]:
        """The question that found it with what was said, and the seconds that went into building."""
        building = 0.0
        builds: list[Callable[[], bool]] = [lambda: True]
        if mutant.native:
            builds = [lambda: self.build_narrow(path), self.build]
        for build in builds:
            start = _seconds()
            if not build():
                continue
            if mutant.native:
                self.install(self.folder / "build")
            building += _seconds() - start
            for asked in questions:
                said = self.complaint(asked)
                if said is not None:
                    return (asked, said), building
        return None, building


def _for_a_minute() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS + 10, SECONDS + 20))


def _two_widths(path: Path) -> None:
    """Rows of one word and rows that grow: what the laboratory asks fits into the first, and half is not compiled."""
    text = path.read_text(encoding="utf-8")
    fewer = re.sub(r"(extern )?template class (fencepost::)?(Commit)?Engine<[28]>;\n", "", text)
    fewer = re.sub(r"template class Reporter<\w+<[28]>>;\n", "", fewer)
    fewer = re.sub(r"make<[28]>", "make<many>", fewer)
    if fewer != text:
        path.write_text(fewer, encoding="utf-8")


def _seconds() -> float:
    """Processor time of all that was started and has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def question(mutant: Mutant) -> Question:
    if mutant.test:
        return (*PYTEST, *mutant.test.split())
    return ("tests/lab/campaign.py", "--minutes", str(SECONDS / 60), "--only", mutant.only, "--stop-after", "1",
            "--cpu")  # fmt: skip


def repeated(asked: Question, said: str) -> Question:
    """The same question, cut down to what failed where that is told."""
    if asked[: len(PYTEST)] == PYTEST:
        failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", said, re.MULTILINE)
        whole = [name if name.endswith("]") else name.partition("[")[0] for name in failed]  # one with " - " was cut
        return (*PYTEST, *whole) if whole else asked
    found = re.search(r"^(.*), seed (\d+): ", said, re.MULTILINE)
    if found is None:
        return asked
    return ("tests/lab/campaign.py", "--minutes", "1", "--only", found[1], "--seed", found[2], "--count", "1")


class Record:
    """What was said about each mutant; a file keeps it between runs."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.said: dict[str, Asked] = {}
        if path is not None and path.exists():
            kept = json.loads(path.read_text(encoding="utf-8"))
            self.said = {name: Asked(**entry | {"by": tuple(entry["by"])}) for name, entry in kept.items()}

    def keep(self, mutant: Mutant, asked: Asked) -> None:
        self.said[mutant.name] = asked
        if self.path is not None:
            content = {name: asdict(entry) for name, entry in self.said.items()}
            self.path.write_text(json.dumps(content, indent=1), encoding="utf-8")


#: The parts of the table, by where a mutant is.
PARTS = (
    ("native/explore/commit", "hardware engine"), ("native/explore", "explorer"), ("native/models", "consistency"),
    ("native/vm", "machine"), ("native", "states and bindings"), ("src/fencepost/models", "models as .cat"),
    ("src/fencepost/program", "passes"), ("src", "verbs, saved states, enumeration"),
)  # fmt: skip
BEGIN, END = "<!-- mutants -->", "<!-- end of mutants -->"


def report(record: Record) -> str:
    """What stands in the page on oracles."""
    rows: dict[str, list[Mutant]] = {}
    for mutant in mutants():
        rows.setdefault(next(name for start, name in PARTS if mutant.file.startswith(start)), []).append(mutant)
    lines = ["| part | mutants | asked | found |", "|---|---|---|---|"]
    for name, members in [*rows.items(), ("**all**", mutants())]:
        known = [record.said[m.name].said for m in members if m.name in record.said]
        lines.append(f"| {name} | {len(members)} | {len(known)} | {known.count(FOUND)} |")
    told = {m: record.said[m.name].said for m in mutants() if m.name in record.said}
    survivors = [f"- {m.name}: {said}. {m.survives}".strip() for m, said in told.items() if said != FOUND]
    slowest = max((a.ask for a in record.said.values() if a.said == FOUND), default=0.0)
    words = f"Those that were found took at most {slowest:.0f} s of processor time each."
    left = ["Not found:", "", *survivors] if survivors else ["None of those that were asked survives."]
    return "\n".join([words, "", *lines, "", *left])


def asked(workshop: Workshop, mutant: Mutant, before: Question) -> Asked:
    try:
        return workshop.examine(mutant, before)
    except RuntimeError as problem:
        return Asked(f"cannot be asked: {problem}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, help="the working folder")
    parser.add_argument("--only", default="", help="mutants whose name or file contains this")
    parser.add_argument("--record", type=Path, help="a file that keeps the answers; what it has is not asked again")
    parser.add_argument("--again", action="store_true", help="ask also what the record has")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--write", type=Path, help="only put the table of the record into this page")
    parser.add_argument("--check", action="store_true", help="only whether each mutant fits the sources")
    options = parser.parse_args()
    chosen = [m for m in mutants() if options.only in m.name or options.only in m.file]
    if options.check:
        wrong = [m.name for m in chosen if not m.fits(ROOT)]
        print("\n".join(wrong) or f"{len(chosen)} mutants fit")
        return int(bool(wrong))
    record = Record(options.record)
    if options.write is not None:
        put_between(options.write, BEGIN, END, report(record))
        return 0
    if options.work is None:
        parser.error("--work names no folder")
    workshop = Workshop(options.work.resolve(), options.python)
    workshop.prepare()
    for mutant in sorted(chosen, key=lambda m: (bool(m.survives), m.native, narrowed(m.file) is None, m.file)):
        known = record.said.get(mutant.name)
        if known is None or options.again:
            record.keep(mutant, asked(workshop, mutant, known.by if known else ()))
            now = record.said[mutant.name]
            print(f"{now.said:12} {now.build:5.0f} s {now.ask:5.0f} s  {mutant.name}", flush=True)
    survivors = [m.name for m in chosen if record.said[m.name].said != FOUND]
    print("\n".join([f"{len(chosen)} mutants, {len(chosen) - len(survivors)} found", *survivors]))
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main())
