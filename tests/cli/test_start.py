"""What a short command loads: `litmus` and `check` of a small program answer in a few hundredths of a second, and
every module costs one to five thousandths of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LITMUS = """C MP
{ x = 0; y = 0; }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_release);
}
P1 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (1:r0=1 /\\ 1:r1=0)
"""
X86 = """X86 SB
{ }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
FP = "var x, y\nthread P { x := 1; r := y }\nthread Q { y := 1; r := x }\n"

#: The standard library's that take long to load, and what is for other verbs and inputs.
HEAVY = {
    "argparse", "ast", "asyncio", "bz2", "concurrent.futures", "csv", "ctypes", "dataclasses", "difflib", "dis",
    "gettext", "inspect", "ipaddress", "locale", "logging", "lzma", "multiprocessing", "pathlib", "random",
    "shutil", "socket", "subprocess",
    "tempfile", "tokenize", "tomllib", "traceback", "unittest", "urllib.parse", "zlib",
    "cloudpickle", "dask", "distributed", "IPython", "jsonschema", "llvmlite", "numpy", "pygments", "rich", "ziglang",
}  # fmt: skip
FOREIGN = {
    "fencepost.bounded", "fencepost.cluster", "fencepost.doctor", "fencepost.enumerate", "fencepost.frontends.c",
    "fencepost.generate", "fencepost.models.cat", "fencepost.program.indifferent", "fencepost.program.interpret",
    "fencepost.program.passes.patience", "fencepost.program.passes.retry", "fencepost.program.passes.spin",
    "fencepost.program.passes.synchronisation", "fencepost.program.passes.weak_cas", "fencepost.program.reader",
    "fencepost.reference", "fencepost.robustness", "fencepost.serve", "fencepost.testing", "fencepost.witness",
}  # fmt: skip


def _loaded(*words: str) -> set[str]:
    code = f"import sys; from fencepost.cli import run; run({list(words)!r}); print(*sys.modules, file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before = subprocess.run([sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True)
    return set(ran.stderr.split()) - set(before.stdout.split())  # an editable installation loads modules of its own


@pytest.mark.parametrize(("name", "text"), [("t.litmus", LITMUS), ("x86.litmus", X86)])
def test_a_litmus_test_loads_nothing_that_it_has_no_use_for(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    loaded = _loaded("litmus", str(file))
    assert "fencepost.explore.native" in loaded
    assert sorted(loaded & (HEAVY | FOREIGN)) == []
    assert sum(m.startswith("fencepost.") for m in loaded) <= 90


def test_checking_a_small_program_loads_no_heavy_module(tmp_path: Path) -> None:
    file = tmp_path / "t.fp"
    file.write_text(FP)
    loaded = _loaded("check", str(file), "--model", "sc")
    assert "fencepost.frontends.pseudo" in loaded
    # What tells the answer has more to load.
    told = {
        "bz2",
        "lzma",
        "shutil",
        "zlib",
        "ipaddress",
        "pathlib",
        "urllib.parse",
        "fencepost.testing",
        "fencepost.witness",
    }
    assert sorted(loaded & (HEAVY | FOREIGN) - told) == []
