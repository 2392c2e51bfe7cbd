"""What our models demand, as the enumeration finds it out by asking them."""

from __future__ import annotations

from inspect import unwrap
from pathlib import Path

import pytest

from fencepost.errors import UsageError
from fencepost.models.cat.mentioned import primitives
from fencepost.models.properties import keeps_coherence, keeps_compared, keeps_dependencies, keeps_own_coherence
from fencepost.models.registry import ModelKind, all_names, find, names
from fencepost.program.program import Arch


@pytest.mark.parametrize("name", names())
def test_all_but_wrc11_keep_coherence(name: str) -> None:
    model = find(name)
    assert keeps_own_coherence(model)
    assert keeps_coherence(model) == (name != "wrc11")
    assert model.orders_writes == (name != "wrc11")


@pytest.mark.parametrize(
    ("text", "own", "all_", "order"),
    [
        ("acyclic po | rf", False, False, False),
        ("acyclic po-loc | rf | co | fr", True, True, True),
        ("acyclic (po-loc \\ (R * R)) | rf | co | fr", True, False, True),  # load-load hazards
        ("acyclic (po-loc & (ACQ * _)) | rf | co | fr", False, False, True),  # only for some modes
        ("empty 0", False, False, False),
    ],
)
def test_of_a_users_model(text: str, own: bool, all_: bool, order: bool, tmp_path: Path) -> None:
    (tmp_path / "m.cat").write_text(text)
    model = find(tmp_path / "m.cat")
    assert (keeps_own_coherence(model), keeps_coherence(model), model.orders_writes) == (own, all_, order)


@pytest.mark.parametrize(
    ("text", "kind", "architecture"),
    [
        ("acyclic po | rf | co | fr", ModelKind.ANY, None),
        ("let fence = mfence\nacyclic fence", ModelKind.HARDWARE, Arch.X86),
        ("acyclic sync | lwsync", ModelKind.HARDWARE, Arch.PPC),
        ("acyclic po; [DMB.SY]; po", ModelKind.HARDWARE, Arch.AARCH64),
        ("acyclic fencerel(Fence.rw.rw)", ModelKind.HARDWARE, Arch.RISCV),
        ("acyclic [REL] ; rf ; [ACQ]", ModelKind.C11, None),
    ],
)
def test_what_a_users_model_judges(text: str, kind: ModelKind, architecture: Arch | None, tmp_path: Path) -> None:
    (tmp_path / "m.cat").write_text(text)
    model = find(tmp_path / "m.cat")
    assert (model.kind, model.architecture, model.ours) == (kind, architecture, False)


def test_an_unknown_model_gets_a_suggestion() -> None:
    with pytest.raises(UsageError, match="did you mean power"):
        find("powr")
    with pytest.raises(UsageError, match=r"path of a \.cat file"):
        find("zzz")


def test_our_models_name_their_source() -> None:
    for name in names():
        text = find(name).source
        comment = text[text.index("(*") : text.index("*)")]
        assert any(str(year) in comment for year in range(1975, 2030)) or "Manual" in comment or "P0982" in comment, (
            name
        )


def test_the_models_without_an_order_of_writes_are_known() -> None:
    assert {m for m in names() if not find(m).orders_writes} == {
        m for m in names() if "co" not in primitives(find(m).prepared)
    }


@pytest.mark.parametrize("name", all_names())
def test_what_is_known_of_ours_is_what_they_say(name: str) -> None:
    """The known answers spare each run a hundred questions."""
    for model in (find(name), *(find(f"{name}@{variant}") for variant in find(name).offers)):
        for asked in (keeps_own_coherence, keeps_coherence, keeps_dependencies, keeps_compared):
            assert asked(model) == unwrap(asked)(model), (asked.__name__, model.variants)
