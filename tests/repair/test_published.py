"""`relax` of locks and queues whose orders are published: what is printed passes; from the strongest orders down one
ends at no more than its cost; and whatever is left, one step weaker it fails. The table is in docs/repair.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_relax import above, strongest

import fencepost
from fencepost.repair.result import Repair
from fencepost.verdict import Answer

FOLDER = Path(__file__).with_name("published")
PAGE = Path(__file__).parents[2] / "docs" / "repair.md"
COST = {
    "load": {"relaxed": 0, "acquire": 2, "seq_cst": 6},
    "store": {"relaxed": 0, "release": 2, "seq_cst": 6},
    "update": {"relaxed": 0, "acquire": 2, "release": 2, "acq_rel": 4, "seq_cst": 8},
    "thread_fence": {"acquire": 3, "release": 3, "acq_rel": 6, "seq_cst": 13},
}
#: The cost of the orders that are printed, and of the cheapest ones for the program around them. Where a full fence is
#: printed, sequentially consistent accesses cost less in this table.
KNOWN = {
    "bakery.c": (42, 30), "barrier.c": (8, 8), "dekker.c": (48, 20), "hazard.c": (36, 28), "mpmc.c": (8, 8),
    "mpsc.c": (8, 8), "peterson.c": (10, 10), "peterson_fences.c": (32, 22), "rcu.c": (34, 26), "rwlock.c": (8, 8),
    "spsc.c": (8, 8),
}  # fmt: skip
#: Here accesses do what printed fences do: the result is neither above nor below what is printed.
INSTEAD_OF_FENCES = ("hazard.c", "peterson_fences.c", "rcu.c")


def printed(text: str) -> list[tuple[str, str]]:
    """Each atomic operation and fence with its (first) order, in the order of the text."""
    found = []
    for m in re.finditer(r"atomic_(?:(\w+?)_explicit|(thread_fence))\(", text):
        depth, own = 1, ""
        for c in text[m.end() :]:
            depth += (c == "(") - (c == ")")
            if depth == 0:
                break
            own += c if depth == 1 else ""
        order = re.search(r"memory_order_(\w+)", own)
        assert order is not None, own
        name = m.group(1) or m.group(2)
        found.append((name if name in COST else "update", order.group(1)))
    return found


def relaxed(name: str, folder: Path) -> Repair:
    found = fencepost.relax(strongest(FOLDER / name, folder))
    assert found.answer is Answer.PASS and found.proved
    weak = ("relaxed", "nothing")
    assert all((k.error is not None) == (k.needed not in weak) for k in found.kept), "one step weaker should fail"
    return found


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_published_passes_and_is_enough(name: str, tmp_path: Path) -> None:
    assert fencepost.check(FOLDER / name).answer is Answer.PASS
    published = sum(COST[kind][order] for kind, order in printed((FOLDER / name).read_text()))
    found = relaxed(name, tmp_path)
    assert found.cost <= published
    needed, orders = [k.needed for k in found.kept], [order for _, order in printed((FOLDER / name).read_text())]
    assert bool(above(needed, orders)) == (name in INSTEAD_OF_FENCES)
    if name in INSTEAD_OF_FENCES:
        assert above(orders, needed), "what replaces a fence should be above nothing as a whole"
    assert (published, found.cost) == KNOWN[name]
    row = next(line for line in PAGE.read_text().splitlines() if f"| `{name}` |" in line)
    assert row.endswith(f"| {published} | {found.cost} |")


@pytest.mark.parametrize("name", KNOWN)
def test_nothing_is_stronger_than_published(name: str) -> None:
    """Where one begins with what is printed, each place ends at or below it, and fails one step below that."""
    found = fencepost.relax(FOLDER / name)
    assert found.answer is Answer.PASS and found.proved
    assert all((k.error is not None) == (k.needed not in ("relaxed", "nothing")) for k in found.kept)
