"""The sequential meaning of C: random programs of csmith, whose checksum gcc computes and the checker should find, too.

    python tests/lab/csmith.py --csmith /opt/csmith/usr/bin/csmith --programs 100
    python tests/lab/csmith.py --csmith csmith --include /usr/include/csmith --programs 1000 --seed 5000 --work FOLDER

csmith is the Debian package of that name, its headers are those of libcsmith-dev. Where they or gcc are missing,
nothing is done and that is said. A program that ends with another checksum, or in an error, is a finding: csmith makes
programs without undefined behaviour. Programs that are too long are counted. The exit code is 1 where something was
found."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import fencepost
from fencepost.verdict import Answer

SMALL = (
    "--no-argc", "--no-packed-struct", "--no-volatiles", "--max-funcs", "4", "--max-block-depth", "3",
    "--max-block-size", "4", "--max-expr-complexity", "6", "--max-array-dim", "2", "--max-array-len-per-dim", "4",
    "--max-pointer-depth", "3",
)  # fmt: skip
SECONDS = 20


@dataclass(frozen=True, slots=True)
class Tools:
    csmith: str
    include: Path
    gcc: str
    folder: Path

    @property
    def flags(self) -> list[str]:
        return ["-w", f"-I{self.include}"]


def find_tools(csmith: str, include: Path | None, folder: Path) -> Tools | str:
    """The tools, or what is missing."""
    program, gcc = shutil.which(csmith), shutil.which("gcc")
    if program is None:
        return f"{csmith} is not there"
    if gcc is None:
        return "gcc is not there"
    headers = include or Path(program).resolve().parents[1] / "include" / "csmith"
    if not (headers / "csmith.h").exists():
        return f"{headers} has no csmith.h"
    return Tools(program, headers, gcc, folder.resolve())


def make(tools: Tools, seed: int) -> tuple[Path, int] | None:
    """A program that traps unless its checksum is EXPECTED, and the checksum; None where it runs for too long."""
    source, binary = tools.folder / f"{seed}.c", tools.folder / f"{seed}.out"
    command = [tools.csmith, "--seed", str(seed), *SMALL, "--output", source.name]
    subprocess.run(command, check=True, capture_output=True, cwd=tools.folder)  # it writes another file where it is
    subprocess.run([tools.gcc, "-O0", *tools.flags, str(source), "-o", str(binary)], check=True, capture_output=True)
    try:
        told = subprocess.run([str(binary)], capture_output=True, text=True, timeout=2)
    except subprocess.TimeoutExpired:
        return None
    finally:
        binary.unlink()
    text = source.read_text(encoding="utf-8").partition("/************************ statistics")[0]
    end = r"platform_main_end\((.*), print_hash_value\);"
    text, times = re.subn(end, r"if ((uint32_t)(\1) != EXPECTED) __builtin_trap();", text)
    found = re.search(r"checksum = ([0-9A-Fa-f]+)", told.stdout)
    if times != 1 or found is None:
        raise RuntimeError(f"seed {seed}: csmith wrote what this command does not know")
    source.write_text(text, encoding="utf-8")
    return source, int(found[1], 16)


def judge(tools: Tools, source: Path, checksum: int) -> tuple[Answer, str]:
    flags = [*tools.flags, f"-DEXPECTED=0x{checksum:X}u"]
    verdict = fencepost.check(source, model="sc", flags=flags, time_limit=SECONDS, max_events=8192, fix=False)
    return verdict.answer, verdict.reason


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csmith", default="csmith", help="the program")
    parser.add_argument("--include", type=Path, help="the folder of csmith.h")
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, help="keep the programs here")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.work or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        tools = find_tools(asked.csmith, asked.include, folder)
        if isinstance(tools, str):
            print(f"skipped: {tools}")
            return 0
        return run(tools, range(asked.seed, asked.seed + asked.programs))


def run(tools: Tools, seeds: range) -> int:
    counts: Counter[str] = Counter()
    tried = False  # whether a wrong checksum is noticed
    for seed in seeds:
        made = make(tools, seed)
        if made is None:
            counts["too long for gcc"] += 1
            continue
        source, checksum = made
        answer, reason = judge(tools, source, checksum)
        counts[answer.value] += 1
        if answer is Answer.FAIL:
            print(f"seed {seed}: {reason}", flush=True)
        elif answer is not Answer.PASS:
            print(f"seed {seed}: UNKNOWN, {reason}", flush=True)
        elif not tried:
            tried = True
            if judge(tools, source, checksum ^ 1)[0] is not Answer.FAIL:
                raise RuntimeError("a wrong checksum should be noticed")
        source.unlink()
    print(", ".join(f"{what} {count}" for what, count in sorted(counts.items())))
    return int(counts[Answer.FAIL.value] > 0)


if __name__ == "__main__":
    sys.exit(main())
