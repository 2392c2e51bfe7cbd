"""`benchmarks/robustness/authors.py` reads the language of Rocker's authors. The programs here are our own."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "robustness" / "authors.py"

ORDERS = """// ROBUSTNESS egr: robust: ra. not: rlx.
global data, flag;
fn writer {{ data.store(1); flag.store(1{0}); }}
fn reader {{ local a, b; a = flag.load({1}); if (a == 1) {{ b = data.load(); }} else {{ skip; }} }}
"""

EVERYTHING = """// ROBUST
max_value 2;
global x, y = 1, l;
na k;
track x: 0, 1;
fn one {
  local r, t;
  while (true) {
    r = FADD(x, 1);           // goes round after 2
    wait(y, 1, 2);
    lock(l);
    k.nastore(r);
    unlock(l);
    if (r == 2) goto again;
    oneof({ t = exchange(y, 2); }{ fence; BCAS(y, 2, 1); });
    again: skip;
  }
}
fn two { local s; lock(l); s = k.naload(); unlock(l); s = CAS(x, 0, 1); }
"""


def asked(folder: Path, *options: str) -> str:
    done = subprocess.run([sys.executable, SCRIPT, folder, *options], capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("store", "load", "found"),
    [("", "", "not / not"), (", rel", "acq", "not / robust DIFFERS"), (", rel", "", "not / not")],
)
def test_the_orders_of_a_program_are_kept(store: str, load: str, found: str, tmp_path: Path) -> None:
    (tmp_path / "mp.tpl").write_text(ORDERS.format(store, load))
    lines = asked(tmp_path).splitlines()
    assert lines[0].startswith("mp.tpl ra: robust / robust,")
    assert lines[1].startswith(f"mp.tpl rlx: {found},")


def test_all_statements_are_read_and_values_go_round(tmp_path: Path) -> None:
    (tmp_path / "all.tpl").write_text(EVERYTHING)
    assert "1 answers are the authors', 0 are not, 0 without an answer, 0 not read" in asked(tmp_path, "--limit", "2")


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "odd.tpl").write_text("// ROBUST\nglobal x;\nfn f { x.store(1) }\n")
    assert "odd.tpl ra: not read: expected ;, found }" in asked(tmp_path)
