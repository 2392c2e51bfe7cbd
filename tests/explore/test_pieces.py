"""What is left of an exploration is cut into pieces: together they find the same executions, by count and by digest."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import fencepost
from fencepost import _core
from fencepost.explore.begin import begin
from fencepost.explore.native import native_options
from fencepost.models.registry import find
from fencepost.options import CheckOptions

PROGRAMS = Path(__file__).parent.parent.parent / "benchmarks" / "programs"
FLAGS = {"casw": ["-DN=4"], "lastzero": ["-DN=6"], "lastzero-plain": ["-DN=5"]}


def exploration(name: str, model: str) -> tuple[_core.Bytecode, _core.ExploreOptions]:
    options, under = CheckOptions(digest=True), find(model)
    program = fencepost.read(PROGRAMS / f"{name}.fp", flags=FLAGS.get(name, []))
    prepared, engine = begin(program, under, options)
    assert prepared is not None
    return prepared.bytecode, native_options(prepared, under, engine, options, 0)


def whole(bytecode: _core.Bytecode, options: _core.ExploreOptions, jobs: int = 1) -> _core.CoreResults:
    run = _core.Exploration(bytecode, options)
    run.run(1e9, 2**62, jobs)
    return run.results()


@pytest.mark.parametrize("name", ["casw", "lastzero", "lastzero-plain", "fib_bench", "readers"])
@pytest.mark.parametrize("model", ["rc11", "sc", "power"])
def test_pieces_in_any_order_find_the_same(name: str, model: str) -> None:
    bytecode, options = exploration(name, model)
    one = whole(bytecode, options)
    assert one.digest == whole(bytecode, options, 2).digest != (0, 0)
    chance = random.Random(name + model)
    first = _core.Exploration(bytecode, options)
    first.run(1e9, 7, 1)
    found, pieces, most = first.results(), first.remaining(), 0
    while pieces:
        chance.shuffle(pieces)
        part = _core.Exploration(bytecode, options)
        part.set_remaining([pieces.pop()])
        part.run(1e9, chance.randint(1, 60), 1)
        part.split(chance.randint(1, 5))
        found.merge(part.results())
        pieces += part.remaining()
        most = max(most, len(pieces))
    assert (found.executions, found.blocked, found.digest) == (one.executions, one.blocked, one.digest)
    assert most > 1


def test_a_piece_gives_its_oldest_choices_away_first() -> None:
    """Each gift starts deeper in the tree than the one before, so its graph has more events."""
    bytecode, options = exploration("casw", "rc11")
    start = _core.Exploration(bytecode, options)
    start.run(1e9, 1, 1)
    (kept,), gifts = start.remaining(), []
    for _ in range(4):
        start.set_remaining([kept])
        start.split(2)
        kept, given = start.remaining()
        gifts.append(len(given))
    assert gifts == sorted(gifts) and gifts[0] < gifts[-1] < len(kept)


def test_what_cannot_be_cut_stays_whole() -> None:
    bytecode, options = exploration("casw", "rc11")
    start = _core.Exploration(bytecode, options)
    start.split(8)
    assert start.remaining() == [b""]
    start.run(1e9, 2**62, 1)
    start.split(8)
    assert start.remaining() == []


def test_the_digest_tells_sets_of_equal_size_apart() -> None:
    text = "var x, y\nthread P {{ x := 1; r := {0} }}\nthread Q {{ y := 1; s := x }}\nobserve P:r, Q:s"
    from fencepost.frontends import read_text

    digests = set()
    for read in ("y", "x + 0 * y", "y + 0 * x"):
        verdict = fencepost.check(read_text(text.format(read), "t.fp"), digest=True)
        assert verdict.extra["digest"] == fencepost.outcomes(read_text(text.format(read), "t.fp"), digest=True).digest
        digests.add(verdict.extra["digest"])
    assert len(digests) == 3
    assert "digest" not in fencepost.check(read_text(text.format("y"), "t.fp")).extra
