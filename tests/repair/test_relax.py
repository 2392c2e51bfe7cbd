"""`relax`: never above the orders that are published for a lock, and every step further down fails."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fencepost
from fencepost.verdict import Answer

BUGS = Path(__file__).with_name("bugs")
#: What is published: the needed orders, place by place in the order of the text, sequentially consistent ones being the
#: start.
PUBLISHED = {
    "spinlock.c": ["acquire", "release"],
    "ttas.c": ["relaxed", "acquire", "release"],
    "ticket.c": ["relaxed", "acquire", "release", "relaxed"],
    "clh.c": ["relaxed", "acq_rel", "acquire", "release"],
    "treiber.c": ["relaxed", "release", "acquire", "relaxed"],
    "publish.c": ["release", "acquire"],
    "ring.c": ["relaxed", "release", "relaxed", "acquire", "relaxed"],
    "mcs.c": ["relaxed", "acq_rel", "relaxed", "release", "acquire", "acquire", "release", "acquire", "release"],
    "refcount.c": ["acq_rel"],
    "michael_scott.c": ["acquire", "release", "release", "release", "acquire", "acquire", "release"],
    "seqlock.c": ["relaxed", "release", "release", "release", "acquire", "acquire", "acquire", "relaxed"],
    "deque.c": ["relaxed", "relaxed", "seq_cst", "seq_cst", "seq_cst", "relaxed", "acquire", "seq_cst", "seq_cst"],
}
QUICK = ("ttas.c", "publish.c", "ticket.c")
#: What an order does, and a fence, which `relax` may take away.
PARTS = {"nothing": "", "relaxed": "", "acquire": "a", "release": "r", "acq_rel": "ar", "seq_cst": "ars"}


def parts(order: str) -> set[str]:
    return set(PARTS[order.removeprefix("fence ")])


def above(needed: list[str], published: list[str]) -> list[int]:
    """The places that need what is not published for them."""
    pairs = zip(needed, published, strict=True)
    return [n for n, (one, other) in enumerate(pairs) if not parts(one) <= parts(other)]


def strongest(path: Path, folder: Path) -> Path:
    """The same with every order as strong as can be."""
    text = re.sub(r"memory_order_\w+", "memory_order_seq_cst", path.read_text())
    written = folder / path.name
    written.write_text(text)
    return written


def examine(name: str, folder: Path) -> None:
    path = strongest(BUGS / name, folder)
    found = fencepost.relax(path)
    assert found.answer is Answer.PASS and found.proved
    needed = [k.needed for k in found.kept]
    assert above(needed, PUBLISHED[name]) == [], needed
    assert all(k.error is not None for k in found.kept if k.needed != "relaxed"), "one step weaker should fail"
    path.write_text(dict(found.texts)[str(path)])
    assert fencepost.check(path).answer is Answer.PASS
    again = fencepost.relax(path)
    assert not again.changes and again.cost == found.cost


@pytest.mark.parametrize("name", QUICK)
def test_a_lock_needs_no_more_than_is_published(name: str, tmp_path: Path) -> None:
    examine(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLISHED)
def test_every_lock_needs_no_more_than_is_published(name: str, tmp_path: Path) -> None:
    examine(name, tmp_path)


def test_a_program_that_fails_is_to_be_repaired_first(tmp_path: Path) -> None:
    found = fencepost.relax(BUGS / "mp.c")
    assert found.answer is Answer.FAIL and "repair it first" in found.reason


def test_bounds_are_carried(tmp_path: Path) -> None:
    path = tmp_path / "loop.fp"
    path.write_text("var x, y, f\nthread P { x := 1; f := 1; c := choose(0..3); while c > 0 { c := c - 1; y := c } }\n"
                    "thread Q { r := f; s := x; if r == 1 { assert(s == 1) } }\n")  # fmt: skip
    assert fencepost.repair(path).answer is Answer.PASS
    bounded = fencepost.repair(path, unroll=1)
    assert bounded.answer is Answer.BOUNDED and bounded.reason and len(bounded.changes) == 2
    limited = fencepost.repair(path, max_executions=1)
    assert limited.answer is Answer.UNKNOWN and limited.reason and not limited.changes


def test_sarif_has_the_fix(tmp_path: Path) -> None:
    from fencepost.report import sarif

    verdict = fencepost.check(BUGS / "mp.c")
    (result,) = sarif.log([verdict])["runs"][0]["results"]
    (fix,) = result["fixes"]
    new = [r["insertedContent"]["text"] for c in fix["artifactChanges"] for r in c["replacements"]]
    assert sorted(new) == ["memory_order_acquire", "memory_order_release"]
