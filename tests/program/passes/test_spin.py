"""Which loops only wait, and that waiting changes nothing that can be observed."""

from __future__ import annotations

import pytest

from fencepost.frontends.pseudo import read
from fencepost.program.instructions import Await, BlockingCas, Instruction, Op, Rmw, SpinHead
from fencepost.program.operands import Const
from fencepost.program.passes.spin import find_spins
from fencepost.program.program import Program
from fencepost.program.reader import read_program
from fencepost.program.validate import validate
from interleave import interleave

FRAME = """program "t" arch=c11
global x size=8 align=8
global y size=8 align=8
function p() registers(%a, %b, %c, %e, %s, %n) {
BODY
}
function q() registers(%a) {
  store &y, 5 mode=na
  store &x, 1 mode=rel
  store &x, 2 mode=rel
  store &x, 0 mode=rel
  return _
}
thread p = p()
thread q = q()
"""


def program(body: str) -> Program:
    return validate(read_program(FRAME.replace("BODY", body)))


def waits(body: str) -> list[Instruction]:
    """The waiting instructions of p after the pass; the pass must keep every result that the loop can end with."""
    before = program(body)
    after = validate(find_spins(before))
    assert interleave(after).results == interleave(before).results
    assert interleave(before).results
    return [i for i in after.functions[0].code if isinstance(i, Await | BlockingCas | SpinHead)]


def test_reading_until_a_value() -> None:
    (found,) = waits("head:\n %a = load &x size=4 mode=acq\n %c = compute (%a, 2) op=ne width=32\n"
                     " branch %c, head, end\nend:\n return %a")  # fmt: skip
    assert isinstance(found, Await) and (found.op, found.operand, found.size) == (Op.EQ, Const(2), 4)


def test_reading_through_local_variables_and_booleans() -> None:
    (found,) = waits("head:\n %a = load &x mode=rlx\n %b = compute (%a) op=mov\n %c = compute (%b, 0) op=ne\n"
                     " %c = compute (%c, 1) op=xor width=1\n %c = compute (%c) op=mov width=1\n"
                     " branch %c, more, end\nmore:\n jump head\nend:\n return %b")  # fmt: skip
    assert isinstance(found, Await) and (found.op, found.operand) == (Op.NE, Const(0))


def test_waiting_for_a_bit() -> None:
    (found,) = waits("head:\n %a = load &x mode=rlx\n %c = compute (%a, 2) op=and\n branch %c, end, head\nend:\n"
                     " return %a")  # fmt: skip
    assert isinstance(found, Await) and found.mask == Const(2) and found.op is Op.NE


def test_waiting_for_another_value_than_before() -> None:
    (found,) = waits(" %e = load &x mode=rlx\nhead:\n %a = load &x mode=rlx\n %c = compute (%e, %a) op=eq\n"
                     " branch %c, head, end\nend:\n return %a")  # fmt: skip
    assert isinstance(found, Await) and found.op is Op.NE


CAS_LOOP = """head:
 %e = compute (0) op=mov
 %a, %s = cas &x, %e, 7 mode=acq
 branch %s, done, failed
failed:
 %e = compute (%a) op=mov
 jump done
done:
 %c = compute (%s) op=mov width=8
 %c = compute (%c, 0) op=ne width=8
 %c = compute (%c, 1) op=xor width=1
 branch %c, head, end
end:
 return %a"""


def test_trying_a_compare_exchange_again() -> None:
    (found,) = waits(CAS_LOOP)
    assert isinstance(found, BlockingCas)


def test_a_flag_taken_by_exchange() -> None:
    body = (" store &x, 1 size=1 mode=rlx\nhead:\n %a = rmw &x, 1 op=xchg size=1 mode=acq\n"
            " branch %a, head, end\nend:\n return %a")  # fmt: skip
    (found,) = waits(body)
    assert isinstance(found, BlockingCas) and found.size == 1


@pytest.mark.parametrize(
    "body",
    [
        # two locations
        "head:\n %a = load &x mode=rlx\n %b = load &y mode=rlx\n branch %b, end, head\nend:\n return %b",
        # a word that may hold more than two values
        "head:\n %a = rmw &x, 1 op=xchg mode=acq\n %c = compute (%a, 1) op=eq\n branch %c, head, end\nend:\n return 0",
        # a plain read: a race that must stay visible
        "head:\n %a = load &x mode=na\n branch %a, end, head\nend:\n return 0",
        # what was read is compared with what was read before
        "head:\n %e = compute (%a) op=mov\n %a = load &x mode=rlx\n %c = compute (%e, %a) op=eq\n"
        " branch %c, head, end\nend:\n return 0",
    ],
)
def test_other_loops_get_a_head(body: str) -> None:
    (found,) = waits(body)
    assert isinstance(found, SpinHead)


def test_a_loop_that_counts_is_not_a_spin() -> None:
    body = ("head:\n %a = load &x mode=rlx\n %n = compute (%n, 1) op=add\n %c = compute (%n, 3) op=ult\n"
            " branch %c, head, end\nend:\n return %n")  # fmt: skip
    (found,) = waits(body)
    assert isinstance(found, SpinHead)
    assert interleave(find_spins(program(body))).stuck == 0


def test_a_dead_register_does_not_hide_a_spin() -> None:
    """The value read differs between iterations, but nothing looks at it."""
    body = ("head:\n %a = load &x mode=rlx\n %b = load &y mode=rlx\n %c = compute (%b, 9) op=eq\n"
            " branch %c, end, head\nend:\n return 0")  # fmt: skip
    assert interleave(find_spins(program(body))).stuck


def test_a_loop_with_a_write_keeps_its_iterations() -> None:
    body = "head:\n store &y, 1 mode=rlx\n %a = load &x mode=rlx\n branch %a, end, head\nend:\n return %a"
    (found,) = waits(body)
    assert isinstance(found, SpinHead)


def test_loops_without_reads_stay_alone() -> None:
    body = "head:\n %n = compute (%n, 1) op=add\n %c = compute (%n, 3) op=ult\n branch %c, head, end\nend:\n return %n"
    before = program(body)
    assert find_spins(before) is before


def test_a_result_that_is_observed_is_used() -> None:
    text = (
        'program "t" arch=x86\nglobal z size=8 align=8\n\nfunction P0() registers(%r0, %r1) {\n'
        "  %r0 = rmw &z, 1 op=add mode=sc\n  %r1 = rmw &z, 2 op=xchg mode=sc\n  return _\n}\n\n"
        'thread P0 = P0()\nobserve "r1" = register P0 r1 width=64 signed\n'
    )
    first, second, _ = find_spins(read_program(text), undo=True).functions[0].code
    assert isinstance(first, Rmw) and first.dst is None
    assert isinstance(second, Rmw) and second.dst is not None


@pytest.mark.parametrize(
    "body",
    [
        "k := 0; while k == 0 { k := x; if y == 1 { k := 2 } }",
        "while x == 0 { skip }; while y == 0 { r := x }",
        "k := 0; while !k { _, k := CAS(x, 0, 1) }; while y != 1 { while x != 2 { skip } }",
        "for i in 1..3 { k := x; while k != i { k := x; r := y } }",
    ],
)
@pytest.mark.parametrize("undo", [False, True])
def test_finding_spins_twice_is_finding_them_once(body: str, undo: bool) -> None:
    program = read(f"var x, y\nthread P {{ {body} }}\nthread Q {{ x := 1; y := 1; x := 2 }}\n", "twice.fp")
    once = find_spins(program, undo=undo)
    assert find_spins(once, undo=undo) == once != program
