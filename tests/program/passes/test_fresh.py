"""Stores to an object that only the exchange makes known: rounds in which it fails for no reason add nothing."""

from __future__ import annotations

import pytest

import fencepost
from fencepost.frontends import read_text
from fencepost.models.registry import names
from fencepost.program.instructions import Choose
from fencepost.program.passes import retry
from fencepost.program.passes.fresh import Fresh
from fencepost.program.passes.weak_cas import let_weak_cas_fail

PUSH = """var x, y, z
fn keeps(p) {{ z := p }}
fn fills(p) {{ [p].na := 1 }}
fn gives(p) {{ return p }}
thread P {{ n := malloc(16); {before}; k := 0; o := 0; while !k {{ {first}; o, k := WCAS(x, o, n) }} }}
"""


def choices(text: str) -> int:
    changed = let_weak_cas_fail(read_text(text, "t.fp"), races=True)
    return sum(isinstance(i, Choose) for f in changed.functions for i in f.code)


@pytest.mark.parametrize(
    ("before", "first", "free"),
    [
        ("skip", "[n] := o", 0),
        ("skip", "[n].rel := o; [n + 8].sc := 3", 0),
        ("m := n + 8", "[m] := o", 0),
        ("fills(n)", "[n] := o", 0),
        ("skip", "[n].na := x", 0),  # another value each time, which nobody sees without a race
        ("skip", "[n] := x", 1),  # an atomic one is seen by who reads an old value
        ("skip", "r := [n].na; [n].na := r + 1", 1),  # what the next round begins with is another
        ("z := n", "[n] := o", 1),
        ("z := n + 8", "[n] := o", 1),
        ("m := n ^ 1; z := m", "[n] := o", 1),
        ("keeps(n)", "[n] := o", 1),
        ("m := gives(n); z := m", "[n] := o", 1),
        ("t := spawn fills(n)", "[n] := o", 1),
        ("skip", "[n] := o; z := n", 1),
        ("skip", "z := n; [n] := o", 1),
        ("skip", "CAS(z, 0, n); [n] := o", 1),
        ("m := y", "[m] := o", 1),
        ("if y { z := n }", "[n] := o", 1),
        ("m := n; if y { m := z }", "[m] := o", 1),
    ],
)
def test_only_stores_that_nobody_sees_are_left_alone(before: str, first: str, free: int) -> None:
    assert choices(PUSH.format(before=before, first=first)) == free


def test_who_pushes_the_same_object_twice_has_made_it_known() -> None:
    body = "[n] := o; o, k := WCAS(x, o, n); if k { i := i + 1 }"
    assert choices(f"var x\nthread P {{ n := malloc(8); o := 0; i := 0; while i < 2 {{ {body} }} }}") == 1


def test_a_new_object_in_each_round_of_an_outer_loop_is_fresh() -> None:
    push = "n := malloc(8); k := 0; o := 0; while !k { [n] := o; o, k := WCAS(x, o, n) }"
    assert choices(f"var x\nthread P {{ for j in 1..2 {{ {push} }} }}") == 0


STACK = """var x
fn push(v) {{
  n := malloc(16); [n + 8]{mode} := v; k := 0; o := x
  while !k {{ [n]{mode} := o; o, k := WCAS(x{to}, o, n) }}
}}
thread P {{ push(1) }}
thread Q {{ push(2) }}
thread R {{ p := x{by}; v := 0; w := 0; if p {{ v := [p + 8]{mode}; q := [p]{mode}; if q {{ w := [q + 8]{mode} }} }} }}
observe R:v, R:w
"""


@pytest.mark.parametrize("model", [name for name in names() if name not in ("lkmm", "bpf")])
@pytest.mark.parametrize(
    ("mode", "to", "by"), [("", ".rel", ".acq"), ("", "", ""), (".na", ".rel", ".acq"), (".na", "", "")]
)
def test_failed_rounds_show_nothing_new(
    mode: str, to: str, by: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against the same program in which each thread may fail twice."""
    program = read_text(STACK.format(mode=mode, to=to, by=by), "t.fp")
    found = fencepost.outcomes(program, model=model)
    kinds = {e.kind for e in fencepost.check(program, model=model).errors}
    monkeypatch.setattr(retry, "fresh_registers", lambda *_: Fresh())
    twice = fencepost.outcomes(program, model=model)
    assert set(found.states) == set(twice.states)
    assert kinds == {e.kind for e in fencepost.check(program, model=model).errors}
    assert len(found.states) >= 4
