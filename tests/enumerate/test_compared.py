"""What a compare-exchange wrote may decide that it succeeds, where a model keeps no order between the two."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost.enumerate import enumerate_program
from fencepost.errors import UnsupportedError
from fencepost.explore import executions
from fencepost.frontends.pseudo import read
from fencepost.models.properties import keeps_compared, keeps_dependencies
from fencepost.models.registry import find, names
from fencepost.program.passes.mapping import map_for_model

LOOSE = ("armv7", "armv8-2018")
#: The exchange succeeds only if the other thread has seen what comes of that.
BY_ITSELF = {
    "a value that comes of nothing else": "c := CAS(f, 1, 2); s := f; x := s - 1",
    "a value that may come otherwise": "c := CAS(f, 1, 2); s := f; x := 1 + (s ^ s)",
    "a branch": "c := CAS(f, 1, 2); s := f; if (s == 2) { x := 1 }",
    "the same value": "c := CAS(f, 1, 1); s := f; x := 1 + (s ^ s)",
    "behind a branch": "n := z; if (n == 0) { c := CAS(f, 1, 2) }; s := f; x := s - 1",
}


@pytest.mark.parametrize("model", [*LOOSE, "power", "armv8", "riscv", "imm", "rc11"])
@pytest.mark.parametrize("name", BY_ITSELF)
def test_an_exchange_that_decides_itself(model: str, name: str) -> None:
    program = read(f"var x, f, z\nthread P {{ a := x; f := a }}\nthread Q {{ {BY_ITSELF[name]} }}", "test.fp")
    found = enumerate_program(map_for_model(program, model), find(model))
    listed = {e.canonical() for e in found.complete}
    assert listed == {e.canonical() for e in executions(program, model=model)}
    succeeds = [e for e in found.complete if any(x.rmw and x.is_write for x in e.events)]
    assert bool(succeeds) == (model in LOOSE)


@pytest.mark.parametrize("name", names())
def test_which_models_keep_the_order(name: str) -> None:
    assert keeps_compared(find(name)) == (name not in (*LOOSE, "bpf", "lkmm"))


CIRCLES = {
    "branches": "a := x; if (a == 1) { y := 1 }",
    "exchanges": "c := CAS(x, 1, 1); y := c",
    "values": "a := x; y := a",
}


@pytest.mark.parametrize("name", CIRCLES)
def test_a_model_that_orders_no_dependency(name: str, tmp_path: Path) -> None:
    """Both read 1 by a circle of branches; what comes by a circle of values is not known."""
    (tmp_path / "m.cat").write_text("acyclic po-loc | rf | co | fr as coherence")
    model = find(tmp_path / "m.cat")
    assert not keeps_dependencies(model) and not keeps_compared(model)
    text = CIRCLES[name]
    other = text.translate(str.maketrans("xy", "yx"))
    program = read(f"var x, y\nthread P {{ {text} }}\nthread Q {{ {other} }}\nobserve x, y", "test.fp")
    if name != "branches":
        with pytest.raises(UnsupportedError):
            enumerate_program(program, model)
        return
    ends = {tuple(e.outcome.values()) for e in enumerate_program(program, model).complete}
    assert ends == {(0, 0), (1, 1)}
