"""What users' files contain beyond our own: Dartagnan's advice and comments, bell, the kernel's words, herd's includes,
variants."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost.errors import UnsupportedError, UsageError
from fencepost.explore.driver import outcomes
from fencepost.frontends.litmus import read
from fencepost.models.cat.judge import prepare
from fencepost.models.cat.syntax import Check
from fencepost.models.registry import ModelKind, find
from fencepost.options import ExploreOptions
from fencepost.program.program import Arch
from fencepost.suite.engine import enumerated, outcomes_under

BELL = """
enum Barriers = 'mb (* smp_mb *) || 'wmb || 'rcu-lock || 'mine
instructions F[Barriers]
let mb = [M] ; fencerel(Mb) ; [M]
let nested = let rec open = Rcu-lock \\ domain(pairs) and pairs = pairs | ([open] ; po ; [open]) in pairs
flag ~empty Mine as mine
acyclic po-loc | rf | co | fr
acyclic mb | rf | co | fr
"""
SB = """C sb
{ x = 0; y = 0; }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  FENCE
  int a = atomic_load_explicit(y, memory_order_relaxed);
}
P1 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
  FENCE
  int a = atomic_load_explicit(x, memory_order_relaxed);
}
exists (0:a = 0 /\\ 1:a = 0)
"""
ON_POWER = """PPC sb
{ 0:r1=x; 0:r2=y; 1:r1=x; 1:r2=y; }
 P0           | P1           ;
 li r3,1      | li r3,1      ;
 stw r3,0(r1) | stw r3,0(r2) ;
 lwz r4,0(r2) | lwz r4,0(r1) ;
exists (0:r4=0 /\\ 1:r4=0)
"""


def users(folder: Path, text: str) -> Path:
    path = folder / "mine.cat"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        "/* Dartagnan's \" comments */ acyclic po // ... and more",
        "empty rf as e\ncut e\nshowall\nacyclic po",
        'include "lock.cat"\nlet R4 = R \\ Noreturn\nempty [LKW] ; po ; [UL | LF | RL | RU]',
        "let gp = po ; [Sync-rcu | Sync-srcu] ; po?\nlet rscs = rcu-rscs^-1 | crit^-1\nacyclic gp | rscs",
        "flag ~empty [UB] as undefined-behavior\nempty [AQ] ; po ; [RL]",
        "let ii0 = 0\nlet ic0 = 0\nlet ci0 = 0\nlet cc0 = addr\nlet strong = sync\nlet light = lwsync\n"
        'include "ppo.cat"\ninclude "ppc-checks.cat"',
        'if "cos-opt"\n  include "cos-opt.cat"\nelse\n  include "cos.cat"\nend\nacyclic co',
        "let isync = try ctrlcfence(ctrl, ISYNC) with 0\nlet isb = ctrlcfence(ISB)\nacyclic isync | isb",
        "let rec U = po-loc | rf | (U ; U)\nwhen acyclic U as sc-per-location\nlet co = U & (W * W)\nacyclic co",
        'ARM\ninclude "armfences.cat"\nlet WW = W * W\nacyclic (dmb.st & WW) | (dsb.st & WW) | dmb',
    ],
)
def test_it_is_read(text: str) -> None:
    checks = [s for s in prepare(text, "m.cat").statements if isinstance(s, Check)]
    assert {c.kind for c in checks} <= {"acyclic", "irreflexive", "empty"} and len(checks) >= 1


def test_tags_of_bell_are_sets_of_events(tmp_path: Path) -> None:
    model = find(users(tmp_path, BELL))
    for fence, allowed in (("atomic_thread_fence(memory_order_seq_cst);", False), ("", True)):
        found = outcomes(read(SB.replace("FENCE", fence), "sb.litmus"), model)
        assert found.holds is allowed


def test_variants_are_chosen_behind_an_at_sign(tmp_path: Path) -> None:
    path = users(tmp_path, 'acyclic if "strong" && not "weak" then po | rf | co | fr else po-loc | rf | co | fr')
    test = read(SB.replace("FENCE", ""), "sb.litmus")
    assert outcomes(test, find(path)).holds
    assert outcomes(test, find(f"{path}@strong")).holds is False
    assert outcomes(test, find(f"{path}@strong,weak")).holds
    with pytest.raises(UsageError, match="has no variant 'strnog': it has strong, weak"):
        find(f"{path}@strnog")


@pytest.mark.parametrize(
    ("text", "kind", "arch"),
    [
        ('RISCV "RISC-V TSO"\nacyclic po', ModelKind.HARDWARE, Arch.RISCV),  # as herd has it: the first word, unquoted
        ('X86_64 "TSO"\nacyclic po', ModelKind.HARDWARE, Arch.X86),
        ('"Alarm of an arm, for RISCV and x86"\nacyclic po', ModelKind.ANY, None),
        ("let arm = po\nlet x86 = rf\nacyclic arm | x86", ModelKind.ANY, None),
        ("let unused = sync | lwsync\nacyclic po; [DSB.ISHST]; po", ModelKind.HARDWARE, Arch.AARCH64),
        ("flag ~empty DMB.SY as barriers\nacyclic po | mfence", ModelKind.HARDWARE, Arch.X86),
        ("let weak = RLX\nacyclic [weak] ; po", ModelKind.C11, None),
        ("acyclic [Mb] ; po ; [Once]", ModelKind.KERNEL, Arch.LKMM),
        ("acyclic [AQ] ; po | po ; [RL]", ModelKind.HARDWARE, Arch.BPF),
        ("acyclic po | rf", ModelKind.ANY, None),
    ],
)
def test_what_a_model_judges_is_seen_in_what_its_checks_look_at(
    text: str, kind: ModelKind, arch: Arch | None, tmp_path: Path
) -> None:
    model = find(users(tmp_path, text))
    assert (model.kind, model.architecture) == (kind, arch)


def test_a_fence_of_two_machines_is_judged_for_both(tmp_path: Path) -> None:
    model = find(users(tmp_path, "acyclic sync"))
    assert (model.architecture, model.others) == (Arch.PPC, {Arch.MIPS})
    model.refuse_foreign(read(ON_POWER, "sb.litmus"))


def test_a_model_of_another_machine_is_an_error_unless_it_is_forced(tmp_path: Path) -> None:
    path = users(tmp_path, "acyclic mfence | po-loc | rf | co | fr")
    test = read(ON_POWER, "sb.litmus")
    with pytest.raises(UnsupportedError, match=r"judges x86 \(--model .*mine.cat@forced: try it nonetheless\)"):
        outcomes(test, find(path))
    assert outcomes(test, find(f"{path}@forced")).holds
    with pytest.raises(UnsupportedError, match="tso@forced"):
        outcomes(test, find("tso"))
    assert outcomes(test, find("tso@forced")).holds


def test_a_model_with_the_fences_of_all_judges_all(tmp_path: Path) -> None:
    path = users(tmp_path, '"SC"\ninclude "x86fences.cat"\ninclude "ppcfences.cat"\nacyclic po | rf | co | fr')
    assert (find(path).kind, find(path).architecture) == (ModelKind.ANY, None)


def test_dependencies_of_risc_v_start_at_a_store_conditional(tmp_path: Path) -> None:
    """Herd's own riscv.cat says `data` where ours says `any-data`: the success register of an sc depends on it."""
    test = read("""RISCV sc-data
{ 0:x5=x; 0:x10=y; 1:x6=y; 1:x9=x; }
 P0               | P1            ;
 ori x6,x0,1      | lw x5,0(x6)   ;
 lr.w x7,0(x5)    | fence r,r     ;
 sc.w x8,x6,0(x5) | lw x8,0(x9)   ;
 xor x9,x8,x8     |               ;
 ori x9,x9,1      |               ;
 sw x9,0(x10)     |               ;
exists (x=1 /\\ 1:x5=1 /\\ 1:x8=0)
""", "sc-data.litmus")  # fmt: skip
    rules = "([R] ; fencerel(Fence.r.r) ; [R])"
    for dependencies, allowed in (("([M] ; data ; [W])", False), ("([R] ; data ; [W])", True)):
        path = users(
            tmp_path, f'"RISCV"\nacyclic po-loc | rf | co | fr\nacyclic {dependencies} | {rules} | rfe | co | fr'
        )
        assert outcomes(test, find(path)).holds is allowed


@pytest.mark.parametrize("tag", ["mb", "MB"])
@pytest.mark.parametrize("named", [True, False])
def test_a_bell_file_beside_a_model_comes_first(tmp_path: Path, tag: str, named: bool) -> None:
    """What it defines holds in the model; the tags that it lists keep their meaning."""
    (tmp_path / "mine.bell").write_text(f'"mine"\nenum Barriers = \'{tag}\ninstructions F[Barriers]\nlet full = Mb\n')
    first = 'include "mine.bell"\n' if named else ""
    (tmp_path / "mine.cat").write_text(f'"mine"\n{first}acyclic rf | co | fr | ([M] ; po ; [full] ; po ; [M])\n')
    for fence, allowed in (("smp_mb();", False), ("", True)):
        text = (
            f"C sb\n{{ }}\nP0(int *x, int *y) {{ int r; WRITE_ONCE(*x, 1); {fence} r = READ_ONCE(*y); }}\n"
            f"P1(int *x, int *y) {{ int r; WRITE_ONCE(*y, 1); {fence} r = READ_ONCE(*x); }}\nexists (0:r=0 /\\ 1:r=0)\n"
        )
        program, options = read(text, "sb.litmus"), ExploreOptions(model="lkmm")
        assert outcomes_under(program, find(tmp_path / "mine.cat"), options).holds is allowed


@pytest.mark.parametrize(("accesses", "states"), [("atomic", 4), ("plain", 1)])
def test_a_place_is_not_atomic_where_nobody_accesses_it_atomically(tmp_path: Path, accesses: str, states: int) -> None:
    """Dartagnan's c11.cat: `NAL` holds the initial writes of places that are not atomic, whose reads must see what
    happened before."""
    text = "acyclic po | rf\nempty (rf ; [range([IW & NAL] ; loc)]) \\ (IW * R) as NaRf"
    test = SB.replace("FENCE", "")
    if accesses == "plain":
        for place in "xy":
            test = test.replace(f"atomic_store_explicit({place}, 1, memory_order_relaxed)", f"*{place} = 1")
            test = test.replace(f"atomic_load_explicit({place}, memory_order_relaxed)", f"*{place}")
        test = test.replace("atomic_int", "int")
    found = outcomes_under(read(test, "sb.litmus"), find(users(tmp_path, text)), ExploreOptions())
    assert len(found.states) == states


#: How the kernel's .bell pairs locks: sets that shrink while the pairs grow.
PAIRED = """
let mine = let rec
      unmatched-locks = Rcu-lock \\ domain(matched)
  and unmatched-unlocks = Rcu-unlock \\ range(matched)
  and unmatched = unmatched-locks | unmatched-unlocks
  and unmatched-po = [unmatched] ; po ; [unmatched]
  and locks-to-unlocks = [unmatched-locks] ; po ; [unmatched-unlocks]
  and matched = matched | (locks-to-unlocks \\ (unmatched-po ; unmatched-po))
  in matched
empty (mine \\ rcu-rscs) | (rcu-rscs \\ mine) as the-same
empty Rcu-lock \\ domain(mine) as all-matched
acyclic po-loc | com
"""
NESTED = """C nested
{ }
P0 (int* x, int* y) {
  rcu_read_lock(); rcu_read_lock(); int a = READ_ONCE(*x); rcu_read_unlock(); rcu_read_unlock();
  rcu_read_lock(); int b = READ_ONCE(*y); rcu_read_unlock();
}
P1 (int* x, int* y) { WRITE_ONCE(*x, 1); synchronize_rcu(); WRITE_ONCE(*y, 1); }
exists (0:a = 1 /\\ 0:b = 0)
"""


def test_recursive_sets_have_a_plan_which_says_what_the_text_says(tmp_path: Path) -> None:
    model = find(users(tmp_path, PAIRED))
    assert model.plan is not None, model.why_no_plan
    program = read(NESTED, "nested.litmus")
    by_plan = outcomes_under(program, model, ExploreOptions())
    by_text = enumerated(program, model, ExploreOptions())
    assert by_plan.states == by_text.states and len(by_plan.states) == 4


@pytest.mark.parametrize(
    ("definition", "plan"),
    [
        ("let rec r = po \\ r", False),
        ("let rec S = W \\ T and T = W \\ S", False),
        ("let rec r = po \\ s and s = s | rf | r", True),
        ("let rec r = rf | (r ; po)", True),
        ("let less(a, b) = a \\ b let rec r = less(po, r)", False),
        ("let less(a, b) = a \\ b let rec r = less(r, po) | rf", True),
        ("let rec f(a) = a \\ r and r = f(po)", False),
        ("let rec r = ~r", False),
    ],
)
def test_a_definition_that_may_never_settle_has_no_plan(tmp_path: Path, definition: str, plan: bool) -> None:
    """The core would go round for ever; the evaluator of the text gives up with a message."""
    model = find(
        users(tmp_path, f"{definition}\nacyclic po-loc | com\nacyclic {'[S]' if ' S ' in definition else 'r'}")
    )
    assert (model.plan is not None) is plan


#: In herd a read-modify-write of C is one event, in R & W, and the modification order is chosen by the file itself.
ONE_EVENT = """C
include "stdlib.cat"
let generate_orders (s, base) = {base}
with mo from generate_orders(W & (A | IW), 0)
let crel = REL | ACQ_REL
let rs = mo & (int | _ * (R & W))
let sw = [crel] ; rs? ; rf ; [ACQ]
let hb = (po | sw | IW * (M \\ IW))+
irreflexive (rf^-1)? ; mo ; rf? ; hb
"""
THROUGH_AN_UPDATE = """C rs
{ x=0; y=0; }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_release);
}
P1 (atomic_int* y) {
  int r0 = atomic_fetch_add_explicit(y, 1, memory_order_relaxed);
}
P2 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (2:r0=2 /\\ 2:r1=0)
"""
NO_NEIGHBOURS = """C m
{ x=0; }
P0 (atomic_int* x) {
  int r0 = atomic_fetch_sub_explicit(x, 2, memory_order_seq_cst);
}
P1 (atomic_int* x) {
  atomic_store_explicit(x, 1, memory_order_seq_cst);
  int r0 = atomic_fetch_xor_explicit(x, 2, memory_order_seq_cst);
}
exists (1:r0=-2)
"""


@pytest.mark.parametrize("test", [THROUGH_AN_UPDATE, NO_NEIGHBOURS])
def test_files_that_take_an_update_for_one_event(test: str, tmp_path: Path) -> None:
    """It goes on with a release sequence, and nothing comes between its halves: both answers are no."""
    model = find(users(tmp_path, ONE_EVENT))
    found = outcomes(read(test, "t.litmus"), model, ExploreOptions(model=str(model.path)))
    assert found.executions > 0
    assert found.holds is False


def test_an_update_related_to_itself_is_refused(tmp_path: Path) -> None:
    """`[RMW]` alone relates the read half to itself, never to its write: this file would deny every update."""
    text = "C\nempty (rf ; [RMW]) \\ (co \\ (co ; co))\nacyclic po ; [ACQ_REL] | co"
    model = find(users(tmp_path, text))
    program = read(NO_NEIGHBOURS, "t.litmus")
    with pytest.raises(UnsupportedError, match="takes a read-modify-write for one event of R and W"):
        outcomes(program, model, ExploreOptions(model=str(model.path)))
