"""The file of a cluster's exploration: exact at every length, and no reason to lose anything where the disk is full."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from fencepost import _core
from fencepost.errors import UsageError
from fencepost.explore import journal
from fencepost.explore.journal import Journal, load
from fencepost.explore.packed import DamagedError, Record, records, unpacked


def results(executions: int) -> _core.CoreResults:
    made = _core.CoreResults()
    made.executions = executions
    made.digest = (2**64 - 1, executions)
    return made


def test_every_length_of_the_file_is_a_state(tmp_path: Path) -> None:
    """Cut anywhere after its first record: what it says is what some prefix of the commits says."""
    file = tmp_path / "state"
    book = Journal(file, "question", (3,))
    book.renew(results(1), {0: b"whole"})
    first, states = file.stat().st_size, [(1, {b"whole"})]
    for k in range(4):
        book.commit(2 * k, results(10), {2 * k + 1: bytes([k]), 2 * k + 2: b"rest" * 300})
        states.append((states[-1][0] + 10, {bytes([i]) for i in range(k + 1)} | {b"rest" * 300}))
    book.close()
    content = file.read_bytes()
    seen = set()
    for length in range(first, len(content) + 1):
        file.write_bytes(content[:length])
        state = load(file)
        assert (state.results.executions, set(state.remaining)) in states and state.cuts == (3,)
        assert state.results.digest[1] >= state.results.executions
        seen.add(state.results.executions)
    assert seen == {1, 11, 21, 31, 41} and state.lost == 0
    for length in (0, 10, first - 1):
        file.write_bytes(content[:length])
        with pytest.raises(UsageError, match="--resume"):
            load(file)


def test_no_changed_byte_changes_a_count(tmp_path: Path) -> None:
    file = tmp_path / "state"
    book = Journal(file, "question", ())
    book.renew(results(1), {0: b"whole"})
    first = file.stat().st_size
    book.commit(0, results(10), {1: b"a"})
    book.commit(1, results(100), {})
    book.close()
    content = file.read_bytes()
    for at in range(first, len(content)):
        file.write_bytes(content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1 :])
        state = load(file)
        assert (state.results.executions, state.remaining) in ((1, (b"whole",)), (11, (b"a",))) and state.lost


def test_a_full_disk_is_told_and_made_up_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "state"
    book = Journal(file, "question", ())
    book.renew(results(1), {0: b"whole"})

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(journal, "_write", full)
        book.commit(0, results(10), {1: b"a"})
    assert book.behind and book.problem == f"the state was not saved: {file}: No space left on device"
    book.commit(1, results(100), {2: b"b"})  # it would not fit what is there
    assert load(file).results.executions == 1
    monkeypatch.setattr(journal, "_TRY_AGAIN", 0.0)
    assert book.wants_renewal
    book.renew(results(111), {2: b"b"})
    book.commit(2, results(1000), {})
    book.close()
    assert (book.behind, book.problem) == (False, "")
    assert (load(file).results.executions, load(file).remaining) == (1111, ())


def test_it_is_written_anew_when_it_has_grown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "_GROWN", 100)
    book = Journal(tmp_path / "state", "question", ())
    book.renew(results(1), {0: b"whole"})
    while not book.wants_renewal:
        book.commit(0, results(1), {0: b"whole"})
    size = (tmp_path / "state").stat().st_size
    book.renew(results(50), {0: b"whole"})
    book.close()
    assert (tmp_path / "state").stat().st_size < size / 4 and load(tmp_path / "state").results.executions == 50


def test_a_record_is_whole_or_none() -> None:
    content = Record({"a": [1, "ü"], "b": None}, (b"", b"x" * 2000)).packed()
    assert unpacked(content) == Record({"a": [1, "ü"], "b": None}, (b"", b"x" * 2000))
    for k in range(len(content)):
        with pytest.raises(DamagedError):
            unpacked(content[:k])
        with pytest.raises(DamagedError):
            unpacked(content[:k] + bytes([content[k] ^ 1]) + content[k + 1 :])
    with pytest.raises(DamagedError):
        unpacked(content + b"x")
    assert len(list(records(content * 3))) == 3
