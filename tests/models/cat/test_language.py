"""The cat language: what each construct means, on one small execution, and the traps of the two dialects."""

from __future__ import annotations

import pytest

from fencepost.execution.execution import Event, EventKind, Execution
from fencepost.execution.relations import pairs
from fencepost.models.cat.base import structure_of
from fencepost.models.cat.evaluate import Evaluator
from fencepost.models.cat.judge import judge, prepare
from fencepost.models.cat.parser import parse
from fencepost.models.cat.resolve import resolve
from fencepost.program.instructions import FenceKind, Mode

X, Y = 0x10000, 0x10020
# message passing with an lwsync that went wrong: 0, 1 initial writes; 2 W x, 3 lwsync, 4 W y; 5 R y, 6 R x
MP = Execution(
    (
        Event(0, -1, 0, EventKind.INIT, X, 8),
        Event(1, -1, 0, EventKind.INIT, Y, 8),
        Event(2, 0, 0, EventKind.WRITE, X, 8, 1, Mode.RLX),
        Event(3, 0, 1, EventKind.FENCE, fence=FenceKind.LWSYNC),
        Event(4, 0, 2, EventKind.WRITE, Y, 8, 1, Mode.RLX),
        Event(5, 1, 0, EventKind.READ, Y, 8, 1, Mode.ACQ),
        Event(6, 1, 1, EventKind.READ, X, 8, 0, Mode.RLX),
    ),
    {5: 4, 6: 0},
    {X: (0, 2), Y: (1, 4)},
    address_deps=frozenset({(5, 6)}),
)


def value(expression: str, before: str = "") -> set[tuple[int, int]] | set[int]:
    """What an expression denotes on MP."""
    model = prepare(f"{before}\nlet answer = {expression}\nempty answer", "m.cat")
    found = Evaluator(model.definitions, structure_of(MP)).global_value("answer")
    if isinstance(found, int):
        return {e.id for e in MP.events if found >> e.id & 1}
    return set(pairs(found)) if isinstance(found, tuple) else set()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("R", {5, 6}),
        ("IW", {0, 1}),
        ("W & ~IW", {2, 4}),
        ("F", {3}),
        ("ACQ & R", {5}),
        ("Lwsync", {3}),  # Dartagnan's spelling
        ("domain(rf)", {0, 4}),
        ("range(rf)", {5, 6}),
        ("po", {(2, 3), (2, 4), (3, 4), (5, 6)}),
        ("fr", {(6, 2)}),
        ("rfe", {(4, 5), (0, 6)}),
        ("lwsync", {(2, 4)}),
        ("addr", {(5, 6)}),
        ("rf^-1", {(5, 4), (6, 0)}),
        ("[R]", {(5, 5), (6, 6)}),
        ("po ; rf", {(2, 5), (3, 5)}),
        ("(po | rf)+ & (W * R)", {(0, 6), (2, 5), (2, 6), (4, 5), (4, 6)}),
        ("[R] ; po*", {(5, 5), (5, 6), (6, 6)}),
        ("[R] ; po?", {(5, 5), (5, 6), (6, 6)}),
        ("rf \\ ext", set()),
        ("W * (R & ACQ) & rf", {(4, 5)}),  # * here is a product
        ("0 | rf", {(4, 5), (0, 6)}),
        ("po & 0", set()),
        ("let r = po in r ; [R]", {(5, 6)}),
        ("let f = fun (a, b) -> a ; b in f(po, rf)", {(2, 5), (3, 5)}),
        ("try no-such-name with rf", {(4, 5), (0, 6)}),
        ('if "opt" then po else rf', {(4, 5), (0, 6)}),
        ('if not "opt" && not "other" then rf else po', {(4, 5), (0, 6)}),
        ("match {} with || {} -> rf || a ++ rest -> po end", {(4, 5), (0, 6)}),
    ],
)
def test_expressions(expression: str, expected: set[object]) -> None:
    assert value(expression) == expected


@pytest.mark.parametrize(
    ("loose", "tight"),
    [
        ("po | rf ; co", "po | (rf ; co)"),
        ("po ; rf \\ co", "po ; (rf \\ co)"),
        ("po \\ rf & co", "po \\ (rf & co)"),
        ("rf & W * R", "rf & (W * R)"),
        ("~po & rf", "(~po) & rf"),
        ("po \\ rf \\ co", "(po \\ rf) \\ co"),
        ("po^-1 ; rf*", "(po^-1) ; (rf*)"),
        ("po^+ ; rf^*", "(po+) ; (rf*)"),
    ],
)
def test_precedence_is_herds(loose: str, tight: str) -> None:
    assert value(loose) == value(tight)


def test_a_star_before_a_statement_is_a_closure() -> None:
    text = "let a = po*\nlet b = rf* ~empty a as x\nacyclic a* as y"
    model = prepare(text, "m.cat")
    assert [s.name for s in model.statements] == ["x", "y"]


@pytest.mark.parametrize("text", ["(* a (* nested *) one *) acyclic po", "(* not (* nested *) acyclic po"])
def test_comments_nest_or_do_not(text: str) -> None:
    assert len(parse(text, "m.cat").statements) == 1


def test_names_can_be_rebound() -> None:
    assert value("rf", "let rf = rf & ext ; [R & ACQ]") == {(4, 5)}
    assert value("f(po)", "let f(x) = x & rf\nlet rf = po") == set()


def test_recursion_is_a_least_fixpoint() -> None:
    assert value("a", "let rec a = po | rf | (a ; b) and b = a") == value("(po | rf)+")
    assert value("a ; id", "let rec a = b \\ po and b = po | rf") == value("rf")


def test_functions_procedures_and_loops() -> None:
    text = """
      let rec both = fun (a, b) -> a | b
      procedure ordered(r, s) = let t = both(r, s) acyclic t as inner end
      call ordered(po, rf)
      forall c in classes-loc(W) do irreflexive [c] ; co as each end
      let (first, second) = (po, rf)
      irreflexive second ; first as last
    """
    assert judge(prepare(text, "m.cat"), MP).consistent


def test_a_choice_needs_one_that_works() -> None:
    text = "with s from linearisations(W & ~IW, 0)\nempty s & co^-1\n{}"
    assert judge(prepare(text.format("irreflexive s ; [W & domain(fr^-1)] ; po"), "m.cat"), MP).consistent
    assert not judge(prepare(text.format("empty s"), "m.cat"), MP).consistent


def test_what_is_violated_and_what_is_flagged() -> None:
    text = """
      acyclic po | rf | fr as sc
      flag ~empty (R & ACQ) as acquires
      flag empty F as no-fence
      undefined_unless empty (R & RLX) as relaxed
    """
    judgement = judge(prepare(text, "m.cat"), MP)
    assert [v.name for v in judgement.violated] == ["sc"]
    assert judgement.violated[0].pairs == ((2, 4), (4, 5), (5, 6), (6, 2))
    assert [f.name for f in judgement.flags] == ["acquires", "relaxed"]


def test_include_and_titles() -> None:
    resolved = resolve('"My model"\ninclude "cos.cat"\ninclude "filters.cat"\nacyclic WW(po) | co', "m.cat")
    assert resolved.title == "My model"


@pytest.mark.parametrize(
    ("text", "acquire"), [("empty [L] ; po ; [A]", True), ('include "x86fences.cat"\nempty [A]', False)]
)
def test_what_A_means_depends_on_the_dialect(text: str, acquire: bool) -> None:
    model = prepare(f"{text}\nlet answer = A\nempty answer", "m.cat")
    found = Evaluator(model.definitions, structure_of(MP)).global_value("answer")
    assert found == (1 << 5 if acquire else 0)


def test_bell_declarations_are_read() -> None:
    text = """
      enum Orders = 'once || 'acquire || 'release
      instructions R[{'once, 'acquire}]
      instructions W[{'once, 'release}]
      let Acq-reads = tag2events('acquire)
    """
    assert value("Acq-reads", text) == {5}
