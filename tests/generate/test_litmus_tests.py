"""Generated tests: their names, their text, and what models say about them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fencepost.cli import run
from fencepost.enumerate import enumerate_program
from fencepost.errors import UsageError
from fencepost.generate.litmus_tests import family, generate
from fencepost.models.registry import find
from fencepost.options import ExploreOptions
from fencepost.program.condition import answer, comparisons
from fencepost.program.layout import condition_constants, lay_out
from fencepost.program.operands import Const
from fencepost.suite.engine import EXPLORE, NATURAL, outcomes_by
from golden import assert_golden

HERE = Path(__file__).parent
ARCHITECTURES = ("ppc", "x86", "aarch64", "riscv", "c", "fp")
CYCLES = {
    "MP+sync+addr": ("ppc", "SyncdWW Rfe DpAddrdR Fre"),
    "MP+lwsync+ctrlisync": ("ppc", "LwSyncdWW Rfe DpCtrlIsyncdR Fre"),
    "SB+rfi-addrs": ("ppc", "Rfi DpAddrdR Fre Rfi DpAddrdR Fre"),
    "LB+po-rmw+po": ("ppc", "PodRR Rmw Rfe PodRW Rfe"),
    "CoRR+pos": ("ppc", "PosRR Fre Rfe"),
    "R+po-rmw+mfence": ("x86", "PodWR Rmw Coe MFencedWR Fre"),
    "S+popl+dataap": ("aarch64", "PodWWPL RfeLA DpDatadW Coe"),
    "WRC+addrpl+poap": ("aarch64", "Rfe DpAddrdW L Rfe A PodRR Fre"),
    "ISA2+fence.rw.w+ctrl+addr": ("riscv", "Fence.rw.wdWW Rfe DpCtrldW Rfe DpAddrdR Fre"),
    "Z6.3+fencescs": ("c", "FenceScdWW Coe FenceScdWW Rfe FenceScdRR Fre"),
    "IRIW+addrs": ("fp", "Rfe DpAddrdR Fre Rfe DpAddrdR Fre"),
    "S+fencerel+ctrlacqp": ("fp", "FenceReldWW Rfe Acq DpCtrldW Coe"),
    "MP+poprlx-rmwrlxrel+poacqp": ("fp", "PodWR RmwRlxRel Rfe Acq PodRR Fre"),
    "S+porlxrel+ctrlacqp": ("c", "PodWWRlxRel RfeRelAcq DpCtrldW Coe"),
}


def holds(program: object, model: str) -> bool:
    found = enumerate_program(program, find(model))  # type: ignore[arg-type]
    constants = condition_constants(program, lay_out(program))  # type: ignore[arg-type]
    return answer(program.condition, (dict(s) for s in found.outcomes), constants)  # type: ignore[attr-defined]


def test_texts() -> None:
    tests = [generate(*CYCLES[name]) for name in CYCLES]
    assert [t.name for t in tests] == list(CYCLES)
    assert_golden(HERE / "generated.txt", "\n".join(t.text for t in tests))


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_no_critical_cycle_happens_under_sc(arch: str) -> None:
    """That is what makes it critical; and the test shows it only if its values and its condition are right."""
    tests = list(family(arch, 4))
    assert len({t.name for t in tests}) == len(tests) > 20
    for t in tests:
        assert not holds(t.program(), "sc"), t.name


def test_larger_cycles_read_and_stay_apart() -> None:
    tests = list(family("ppc", 6, "Rfe Fre Coe Pod** DpAddrdR DpDatadW Syncd**", threads=3))
    assert {"WRC", "ISA2", "Z6.0", "IRIW", "3.SB", "W+RWC"} - {t.name for t in tests} == {"IRIW"}
    for t in tests[::17]:
        assert not holds(t.program(), "sc"), t.name


@pytest.mark.parametrize(
    ("arch", "cycle", "model", "allowed"),
    [
        ("ppc", "PodWW Rfe PodRR Fre", "power", True),
        ("ppc", "SyncdWW Rfe DpAddrdR Fre", "power", False),
        ("ppc", "LwSyncdWR Fre LwSyncdWR Fre", "power", True),
        ("ppc", "SyncdWR Fre SyncdWR Fre", "power", False),
        ("ppc", "Rfe DpAddrdW Rfe DpAddrdR Fre", "power", True),
        ("ppc", "DpDatadW Rfe DpCtrldW Rfe", "power", False),
        ("x86", "PodWR Fre PodWR Fre", "tso", True),
        ("x86", "Rfi PodRR Fre Rfi PodRR Fre", "tso", True),
        ("x86", "PodWW Rfe PodRR Fre", "tso", False),
        ("x86", "PodWR Rmw Coe PodWR Fre", "tso", True),
        ("c", "PodWWRlxRel Rfe PodRRAcqRlx Fre", "rc11", False),
        ("c", "PodWW Rfe PodRR Fre", "rc11", True),
        ("c", "PodWRScSc Fre PodWRScSc Fre", "rc11", False),
    ],
)  # fmt: skip
def test_what_models_say(arch: str, cycle: str, model: str, allowed: bool) -> None:
    assert holds(generate(arch, cycle).program(), model) is allowed


def test_stars_take_the_direction_of_their_neighbours() -> None:
    assert generate("ppc", "Pod** Rfe Pod** Fre").cycle == "PodWW Rfe PodRR Fre"


@pytest.mark.parametrize(
    ("arch", "cycle", "complaint"),
    [
        ("ppc", "PodWW Rfe PodWR Fre", "'Rfe' ends in a read and 'PodWR' starts with a write"),
        ("ppc", "DMB.SYdWW Rfe PodRR Fre", "unknown edge 'DMB.SYdWW' for ppc; known are"),
        ("ppc", "PodWW Rfe PosRR Fre", "never comes back"),
        ("ppc", "PodWW PodWW", "between threads"),
        ("ppc", "Fre", "two edges at least"),
        ("aarch64", "PodWWPA Rfe PodRR Fre", "A is no annotation of a write"),
        ("aarch64", "PodWWPL Rfe A PodRRQP Fre", "annotate the event of 'A' differently"),
        ("aarch64", "PodWWPL RfeLA PodRRQP Fre", "annotate the event between them differently"),
        ("aarch64", "PodWWPZ Rfe PodRR Fre", "unknown annotations 'PZ'"),
        ("z80", "PodWW Rfe PodRR Fre", "unknown architecture 'z80'"),
    ],
)
def test_cycles_that_do_not_fit(arch: str, cycle: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        generate(arch, cycle)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["generate", "--arch", "ppc", "--cycle", "SyncdWW Rfe DpAddrdR Fre"]) == 0
    assert capsys.readouterr().out.startswith("PPC MP+sync+addr\n")
    assert run(["generate", "--arch", "c", "--size", "4", "--limit", "5", "--output", str(tmp_path)]) == 0
    assert len(list(tmp_path.glob("*.litmus"))) == 5
    assert run(["generate", "--arch", "c"]) == 2


@pytest.mark.parametrize(
    ("arch", "cycle", "allowed"),
    [
        ("ppc", "PodWWXX RfeXX PodRRXX FreXX", True),
        ("ppc", "SyncdWWPX RfeXX SyncdRRXP Fre", False),
        ("aarch64", "PodWWXX RfeXX PodRRXX FreXX", True),
        ("aarch64", "PodWWPXL RfeXLXA PodRRXAP Fre", False),
        ("riscv", "PodWWPXRl RfeXRlXAq PodRRXAqP Fre", False),
    ],
)
def test_exclusive_pairs(arch: str, cycle: str, allowed: bool) -> None:
    test = generate(arch, cycle)
    found = outcomes_by(EXPLORE, test.program(), find(NATURAL[test.program().arch]), ExploreOptions())
    assert found.holds is allowed
    assert all(f" {name}" in test.text for name in {"ppc": ("lwarx", "stwcx.")}.get(arch, ()))


def test_an_observer_sees_the_order_of_three_writes() -> None:
    """x gets 1, 2 and 3: the final value alone would not tell 1 2 3 from 2 1 3."""
    for arch in ("ppc", "x86", "aarch64", "riscv", "c", "fp"):
        program = generate(arch, "PodWW Coe PosWW Rfe PodRW Coe").program()
        assert len(program.threads) == 4
        assert program.condition is not None
        reads = [c for c in comparisons(program.condition.formula) if str(c.left).startswith(("3:", "P3"))]
        assert [c.right for c in reads] == [Const(1), Const(2)]


def test_labels_are_unique_in_a_test_as_herd_wants_them() -> None:
    text = generate("ppc", "DpCtrldW Rfe DpCtrldW Rfe").text
    labels = re.findall(r"(LC\d+):", text)
    assert len(labels) == len(set(labels)) == 2
