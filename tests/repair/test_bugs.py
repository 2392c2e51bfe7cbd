"""Classic bugs: the patch that `repair` gives makes the program pass, or it says which rule is broken."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

import fencepost
from fencepost.repair.patches import Replacement, replacements
from fencepost.verdict import Answer
from fencepost.witness.story import tell

BUGS = sorted(Path(__file__).with_name("bugs").iterdir())
QUICK = ("mp.c", "handover.c", "double_checked.c", "ticket.c", "abba.c", "check_then_set.c", "macros.c", "hazard.c",
         "rwlock.c", "wrong_turn.c", "condition_if.c", "peterson_plain.c", "lazy_once.c",
         "split_stat.c", "full_ring.c")  # fmt: skip


def expected(path: Path) -> dict[str, str]:
    header = re.match(r"// repair:(.*)", path.read_text())
    assert header is not None, "the first line should say what to expect"
    return dict(item.split("=") for item in header.group(1).split())


def name_in(declaration: str) -> str:
    """`int flag[2]`, `widget *instance = nullptr`: what is declared."""
    return re.findall(r"\w+", re.split(r"[=\[{]", declaration)[0])[-1]


def examine(path: Path, tmp_path: Path) -> None:
    wanted = expected(path)
    found = fencepost.repair(path)
    assert found.first is not None and found.first.answer is Answer.FAIL, "it should be a bug"
    if "fails" in wanted:
        assert found.answer is Answer.FAIL and found.reason
        assert found.verdict is not None and found.verdict.witness is not None
        assert found.verdict.witness.error.kind.value == wanted["fails"]
        return
    declared = [name_in(c.before) for c in found.changes if c.what == "declaration"]
    assert sorted(declared) == sorted(wanted.get("declares", "").split(",") if "declares" in wanted else [])
    assert found.answer is Answer.PASS and found.proved is not bool(declared), found.reason
    assert "changes" not in wanted or len(found.changes) == int(wanted["changes"]), found.patch
    assert all(c.error is not None for c in found.changes), "without each change something should come back"
    assert bool(found.notes) == ("warns" in wanted) or "warns" not in wanted
    repaired = tmp_path / path.name
    repaired.write_text(dict(found.texts)[str(path)])
    assert fencepost.check(repaired).answer is Answer.PASS


@pytest.mark.parametrize("name", QUICK)
def test_a_bug_is_repaired(name: str, tmp_path: Path) -> None:
    examine(next(p for p in BUGS if p.name == name), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("path", BUGS, ids=[p.name for p in BUGS])
def test_every_bug_is_repaired(path: Path, tmp_path: Path) -> None:
    examine(path, tmp_path)


def test_a_lock_that_is_wrong_by_itself_is_not_hidden_by_atomics() -> None:
    reason = fencepost.repair(BUGS[0].with_name("wrong_turn.c")).reason
    assert "flag[0], flag[1] and turn" in reason and "wrong by itself" in reason


def test_a_race_beside_a_lock_or_a_protocol_is_not_answered_with_atomics() -> None:
    one_side = fencepost.repair(BUGS[0].with_name("full_ring.c"))
    assert one_side.answer is Answer.FAIL and "look at tail" in one_side.reason and "hide" in one_side.reason
    lost = fencepost.repair(BUGS[0].with_name("split_stat.c"))
    assert lost.answer is Answer.FAIL and "updates of other threads would be lost" in lost.reason


def test_a_result_that_is_read_too_early_is_said(tmp_path: Path) -> None:
    (tmp_path / "early.c").write_text(
        "#include <pthread.h>\nint result;\nstatic void *work(void *a) { result = 42; return 0; }\n"
        "int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, work, 0);\n  int r = result;\n"
        "  pthread_join(t, 0);\n  return r;\n}\n"
    )
    found = fencepost.repair(tmp_path / "early.c")
    assert found.answer is Answer.PASS and any("hold a lock" in n for n in found.notes)
    assert any("reads result (early.c:7)" in n and "join that thread before" in n for n in found.notes)


def test_a_function_of_nothing_but_calls_can_hold_a_fence() -> None:
    """In C++ each atomic operation is a call: two fences are cheaper than a fence and two releases."""
    found = fencepost.repair(BUGS[0].with_name("seqlock_class.cpp"))
    assert found.cost == 6 and [c.after for c in found.changes] == ["fence release", "fence acquire"]


def test_what_no_order_mends_is_told_without_weak_memory() -> None:
    found = fencepost.repair(BUGS[0].with_name("ready_outside.c"))
    assert found.answer is Answer.FAIL and found.verdict is not None and found.verdict.witness is not None
    explained = tell(found.verdict.witness).explanation
    assert explained.known == "lost wake-up" and "weak memory" not in explained.reason
    assert found.reason.startswith("a signal is not remembered")


def test_the_order_of_a_macro_is_changed_where_it_is_written(tmp_path: Path) -> None:
    """Whoever obeys the fix at a use would change what only that use does."""
    path = tmp_path / "szymanski_macros.c"
    path.write_text(BUGS[0].with_name(path.name).read_text())
    verdict = fencepost.check(path)
    assert re.findall(r"szymanski_macros\.c:\d+: #define (\w+)", " ".join(verdict.fix.split())) == ["LD", "ST"]
    assert verdict.witness is not None and verdict.witness.cure is not None
    path.write_text(applied(path.read_text(), replacements(verdict.witness.cure())))
    assert fencepost.check(path).answer is Answer.PASS
    path.write_text(BUGS[0].with_name(path.name).read_text())
    assert [c.at.line for c in fencepost.repair(path).changes] == [8, 9]


@pytest.mark.parametrize(
    "name",
    [
        "no_lock.c",
        "lazy_once.c",
        "peterson_plain.c",
        pytest.param("stop_flag.cpp", marks=pytest.mark.slow),
        "dcl_static.cpp",
    ],
)
def test_check_offers_atomics_where_repair_does(name: str, tmp_path: Path) -> None:
    """The fix of a witness is applied as SARIF tells it, and checked."""
    path = tmp_path / name
    path.write_text((BUGS[0].with_name(name)).read_text())
    verdict = fencepost.check(path)
    wanted = expected(path)["declares"].split(",")
    assert all(re.search(rf"declare [^,]*\b{n}\b", verdict.fix) for n in wanted), verdict.fix
    assert "hold a lock around them instead" in verdict.fix
    assert verdict.witness is not None and verdict.witness.cure is not None
    changes = replacements(verdict.witness.cure())
    path.write_text(applied(path.read_text(), changes))
    assert fencepost.check(path).answer is Answer.PASS


def test_atomics_that_do_not_help_are_not_advised() -> None:
    """Two threads make the table, and one looks at the other's while it is being filled."""
    assert fencepost.check(BUGS[0].with_name("made_twice.c")).fix == ""
    reason = fencepost.repair(BUGS[0].with_name("made_twice.c")).reason
    assert "hold a lock around every access" in reason and "no variables were found that one can make atomic" in reason


def test_a_reader_that_does_not_ask_whether_a_writer_is_at_work() -> None:
    reason = fencepost.repair(BUGS[0].with_name("seqlock_odd.c")).reason
    assert "begin again where it changed or says that a writer is at work" in reason


def test_a_fence_of_a_fix_stands_where_the_text_can_have_it(tmp_path: Path) -> None:
    """Not inside `*y = load(...)`: between that statement and the next."""
    path = tmp_path / "seqlock_point.c"
    path.write_text(BUGS[0].with_name("seqlock_point.c").read_text())
    verdict = fencepost.check(path)
    assert "an acquire fence before the statement (seqlock_point.c:22: return" in " ".join(verdict.fix.split())
    assert verdict.witness is not None and verdict.witness.cure is not None
    path.write_text(applied(path.read_text(), replacements(verdict.witness.cure())))
    assert fencepost.check(path).answer is Answer.PASS


def test_a_fence_is_not_put_into_a_statement_of_a_text_that_cannot_be_changed() -> None:
    """A text on its own is no file: only places in front of statements are searched for it, too."""
    verdict = fencepost.check(BUGS[0].with_name("seqlock_point.c").read_text())
    assert verdict.answer is Answer.FAIL and "before the store (" not in verdict.fix


def applied(text: str, changes: list[Replacement] | None) -> str:
    assert changes, "the fix should be written down"
    lines = text.splitlines(keepends=True)
    starts = [0, *itertools.accumulate(map(len, lines))]
    for c in sorted(changes, key=lambda c: c.start, reverse=True):
        start, end = (starts[p.line - 1] + p.column - 1 for p in (c.start, c.end))
        text = text[:start] + c.new + text[end:]
    return text


@pytest.mark.parametrize("name", ["split_stat.c", "wrong_turn.c", "full_ring.c", "check_then_set.c"])
def test_check_offers_no_atomics_that_would_hide_a_fault(name: str) -> None:
    assert fencepost.check(BUGS[0].with_name(name)).fix == ""


def test_a_text_that_changed_in_between_is_not_repaired(tmp_path: Path) -> None:
    path = tmp_path / "no_lock.c"
    path.write_text(BUGS[0].with_name("no_lock.c").read_text())
    verdict = fencepost.check(path)
    path.write_text(path.read_text() + "\n")
    assert verdict.fix == ""
