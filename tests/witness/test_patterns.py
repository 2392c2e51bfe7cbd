"""Bugs are called by their names where the execution is the evidence, and only there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fencepost
from fencepost.cli import run
from fencepost.witness import patterns
from fencepost.witness.case import open_case
from fencepost.witness.story import tell

BUGS = Path(__file__).parent.parent / "repair" / "bugs"
DOCS = Path(__file__).parent.parent.parent / "docs"
NAMES = {
    "mp.c": "unsafe publication", "double_checked.c": "double-checked locking", "lost_signal.c": "lost wake-up",
    "abba.c": "lock order inversion", "aba.c": "ABA", "iriw.c": "independent reads of independent writes",
    "sleeper.c": "store buffering", "publish.c": "unsafe publication",
    "lazy_once.c": "double-checked locking", "full_ring.c": "",
    "no_lock.c": "", "lost_update.c": "lost update", "seqlock.c": "broken sequence lock",
    "check_then_set.c": "", "spinlock.c": "unlock without release",
    "condition_if.c": "condition variable without a loop",
    "refcount.c": "reference count", "wakeup.c": "lost wake-up", "wrong_turn.c": "",
    "unlock_without_release.c": "unlock without release", "double_free.c": "",
    "early_signal.c": "lost wake-up", "barrier_sense.c": "unsafe publication", "deque_take.c": "store buffering",
    "letterbox.c": "unsafe publication", "intrusive_refcount.cpp": "reference count",
    "seqlock_pair.c": "broken sequence lock", "futex_waker.c": "", "peterson_relacq.c": "store buffering",
    "dcl_static.cpp": "double-checked locking", "bakery_numbers.c": "", "aba_freelist.c": "ABA",
    "torn.c": "torn read", "hash_resize.c": "unsafe publication", "event_count.cpp": "store buffering",
    "barber.c": "lost wake-up", "futex_overwritten.c": "lost wake-up", "spin_plain_store.cpp": "unlock without release",
}  # fmt: skip


@pytest.mark.parametrize(("name", "known"), NAMES.items())
def test_a_bug_is_called_by_its_name(name: str, known: str) -> None:
    witness = fencepost.check(BUGS / name, fix=False).witness
    assert witness is not None
    assert patterns.known_as(open_case(witness)) == known


@pytest.mark.parametrize(("name", "known"), [("sb", "store buffering"), ("2+2w", "2+2W"), ("mp", "message passing")])
def test_a_cycle_is_called_by_its_name(name: str, known: str, tmp_path: Path) -> None:
    text = (DOCS / "examples" / "behaviours" / f"{name}.fp").read_text().replace("exists", "~exists")
    (tmp_path / "test.fp").write_text(text)
    witness = fencepost.check(tmp_path / "test.fp", fix=False).witness
    assert witness is not None and patterns.known_as(open_case(witness)) == known


def test_a_message_by_a_third_thread_is_called_by_its_name() -> None:
    text = (
        "var a, b, c\nthread A { a := 1; b.rel := 1 }\nthread B { r := b; if r == 1 { c := 1 } }\n"
        "thread C { s := c.acq; if s == 1 { t := a; assert(t == 1) } }\n"
    )
    witness = fencepost.check(text, fix=False).witness
    assert witness is not None and patterns.known_as(open_case(witness)) == "write-to-read causality"


def test_what_came_back_is_told() -> None:
    witness = fencepost.check(BUGS / "aba.c", fix=False).witness
    assert witness is not None
    reason = tell(witness).explanation.reason
    assert reason.startswith("thread slow read top = &a") and "changed it to &b" in reason


def test_everything_is_told_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(BUGS / "lost_signal.c")
    for arguments, hidden in (([path], True), ([path, "--all"], False)):
        run(["check", *arguments])
        out = capsys.readouterr().out
        assert ("not shown" in out) is hidden and ("starts thread waiter" in out) is not hidden


def test_every_name_is_explained() -> None:
    heads = set(re.findall(r"^## (.*)$", (DOCS / "bugs.md").read_text(), re.M))
    source = Path(patterns.__file__).read_text()
    said = set(re.findall(r'(?:return|else|:) "([^"]+)"(?: if| else|,$|$)', source, re.M)) - {"W", "R"}
    assert set(patterns._CYCLES.values()) | set(NAMES.values()) - {""} <= heads
    assert heads >= {s for s in said if " " in s and s[0].islower()}


def test_a_race_in_a_broken_lock_names_the_lock() -> None:
    witness = fencepost.check(BUGS / "wrong_turn.c", fix=False).witness
    assert witness is not None
    reason = tell(witness).explanation.reason
    assert "Both came there through flag[0], flag[1] and turn: if that is a lock, it let both in" in reason


def test_how_a_broken_lock_let_both_in_is_said() -> None:
    """By taking turns, where its logic is wrong; else by a store that was missed."""
    bakery, peterson = (fencepost.check(BUGS / n, fix=False).witness for n in ("bakery_numbers.c", "peterson_relacq.c"))
    assert bakery is not None and peterson is not None
    assert tell(bakery).explanation.reason.endswith("it let both in, with the threads only taking turns")
    assert "It takes weak memory to get there: thread" in tell(peterson).explanation.reason


def test_values_that_were_read_apart_are_told(tmp_path: Path) -> None:
    path = tmp_path / "torn.fp"
    path.write_text("var a, b\nthread W { a := 1; b := 1 }\nthread R { r := a; s := b; assert(r == s) }\n")
    witness = fencepost.check(path, model="sc", fix=False).witness
    assert witness is not None
    told = tell(witness).explanation
    assert told.known == "torn read" and "nothing holds the two reads together" in told.reason


def test_a_store_that_takes_effect_late_says_so(tmp_path: Path) -> None:
    path = tmp_path / "late.fp"
    path.write_text("var x, y\nthread P { x := 1; y := 2 }\nthread Q { y := 1; x := 2 }\n~exists (x == 1 && y == 1)\n")
    witness = fencepost.check(path, model="rc11", fix=False).witness
    assert witness is not None
    details = [m.detail for m in tell(witness).moments]
    assert "takes effect after step 4" in details


def test_a_signal_before_its_reason_is_told() -> None:
    witness = fencepost.check(BUGS / "early_signal.c", fix=False).witness
    assert witness is not None
    reason = tell(witness).explanation.reason
    assert "producer had signalled (early_signal.c:7) before it stored items = 1 (early_signal.c:9)" in reason


def test_who_passed_by_without_ending_a_wait_is_shown() -> None:
    """Nobody writes what is waited for: the look that kept the other thread from it is in the story."""
    witness = fencepost.check(BUGS / "futex_waker.c", fix=False).witness
    assert witness is not None
    story = tell(witness)
    steps = [(m.text, m.place) for m in story.moments]
    look, free = ("reads state = 1", "futex_waker.c:23"), ("writes state = 0", "futex_waker.c:24")
    assert steps.index(look) < steps.index(("updates state: 1 → 2", "futex_waker.c:16")) < steps.index(free)


def test_what_is_handed_over_is_no_lock_that_let_both_in() -> None:
    verdict = fencepost.check(BUGS / "letterbox.c")
    assert "let both in" not in verdict.why
    assert verdict.fix.startswith("update newest with release (letterbox.c:13) and update newest with acquire")


def test_a_lock_that_was_given_back_did_not_let_both_in(tmp_path: Path) -> None:
    """The reader of x had gone when the writer came: the lock keeps them apart and does not order them."""
    path = tmp_path / "rw.fp"
    path.write_text(
        "var state, x\nthread R { BCAS(state, 0, 1); r := x.na; s := FADD(state, -1) }\n"
        "thread W { BCAS(state.acq, 0, 2); x.na := 1; state.rel := 0 }\n"
    )
    verdict = fencepost.check(path, model="rc11")
    assert verdict.witness is not None and verdict.errors[0].kind.value == "race"
    told = tell(verdict.witness).explanation
    assert told.known == "unlock without release" and "let both in" not in told.reason


def test_of_a_long_line_the_statement_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "dense.fp"
    path.write_text(
        "var first, second, third, fourth\n"
        'thread P { first := 1; second := 1; third := 1; fourth := 1; a := third; assert(a == 0, "it is nought") }\n'
        "thread Q { r := first }\n"
    )
    witness = fencepost.check(path, model="sc", fix=False).witness
    assert witness is not None
    shown = {m.text: m.source for m in tell(witness).moments}
    assert shown["reads third = 1"].startswith("… a := third; assert(")
    assert shown["it is nought"].startswith("… assert(a == 0")


def test_a_statement_in_a_long_line_is_quoted_without_what_stands_before_it() -> None:
    fix = fencepost.check(BUGS / "seqlock_2.c").fix
    assert ": … if (atomic_load_explicit(&seq, memory_order_relaxed) == s)…)" in fix, fix


SIMPLE = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n"
TWO = """int main(void) {{
  {before}pthread_t s, t;
  pthread_create(&s, 0, first, 0);
  pthread_create(&t, 0, second, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
}}
"""
ASKED = """static atomic_int stop, level;
static void *first(void *a) { level = 5; stop = 1; return 0; }
static void *second(void *a) { if (!stop) assert(level < 5); return 0; }
"""
SLOTS = """static atomic_int slots = 2;
static _Atomic(int *) shared;
static void *first(void *a) { slots--; int *p = shared; return (void *)(long)*p; }
static void *second(void *a) { slots--; free(atomic_exchange(&shared, 0)); return 0; }
"""
OWNERS = """static atomic_int owners = 2;
static _Atomic(int *) shared;
static void drop(void) { if (atomic_fetch_sub(&owners, 1) == 1) free(shared); }
static void *first(void *a) { int *p = shared; drop(); return (void *)(long)*p; }
static void *second(void *a) { drop(); return 0; }
"""
HALVES = """static atomic_uint low, high;
static void *first(void *a) { low = 1; high = 1; return 0; }
static void *second(void *a) { unsigned h = high, l = low; assert(h == l); return 0; }
"""


@pytest.mark.parametrize(
    ("text", "known"),
    [(ASKED, ""), (SLOTS, ""), (OWNERS, "reference count"), (HALVES, "torn read")],
    ids=["asked", "slots", "owners", "halves"],
)
def test_a_name_needs_its_evidence(text: str, known: str, tmp_path: Path) -> None:
    """Who reads a place only because of another one reads no two halves; who counts down and frees whatever the count
    was is no last owner. The store that tears two halves apart may be still to come."""
    before = "shared = malloc(sizeof(int));\n  *shared = 1;\n  " if "shared" in text else ""
    (tmp_path / "near.c").write_text(SIMPLE + text + TWO.format(before=before))
    witness = fencepost.check(tmp_path / "near.c", fix=False).witness
    assert witness is not None
    assert tell(witness).explanation.known == known
