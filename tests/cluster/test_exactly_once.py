"""Whatever is lost, repeated, late or killed: the same executions as on one thread, each once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_pool import PROGRAMS, FakePool, coordinate

import fencepost
from fencepost import _core
from fencepost.cluster import coordinator, worker
from fencepost.cluster.ledger import Ledger
from fencepost.cluster.tasks import End, Return, Task, open_return
from fencepost.errors import UsageError
from fencepost.reasons import Code

FIVE, NINE, FOUR = ("-DN=5",), ("-DN=9",), ("-DN=4",)
SMALL = [("casw", FIVE, "rc11"), ("lastzero", NINE, "rc11"), ("fib_bench", (), "tso"), ("casw", FOUR, "power")]


@pytest.fixture(autouse=True)
def _short_start(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process explores next to nothing by itself, so that small programs are shared too."""
    monkeypatch.setattr(coordinator, "_ALONE", 0.0)
    yield


def digest(results: _core.CoreResults) -> str:
    low, high = results.digest
    return f"{high:016x}{low:016x}"


@pytest.mark.parametrize(("name", "flags", "model"), SMALL)
@pytest.mark.parametrize(("loss", "twice"), [(0.0, 0.0), (0.3, 0.0), (0.0, 1.0), (0.3, 0.3)])
def test_the_same_executions(name: str, flags: tuple[str, ...], model: str, loss: float, twice: float) -> None:
    one = fencepost.check(PROGRAMS / f"{name}.fp", flags=flags, model=model, digest=True)
    for seed in range(3):
        pool = FakePool(seed, loss=loss, twice=twice)
        report = coordinate(name, pool, flags=flags, model=model)
        assert (report.results.executions, report.results.blocked) == (one.executions, one.blocked)
        assert digest(report.results) == one.extra["digest"]
        assert report.reason is None and pool.tasks > 1
        assert (pool.lost > 0) == (loss > 0) and (pool.repeated > 0) == (twice > 0)


def test_what_a_worker_begins_after_its_time_counts_once() -> None:
    """Small pieces are done where they were cut; the larger ones come back."""
    one = fencepost.check(PROGRAMS / "lastzero.fp", flags=["-DN=11"], digest=True)
    for seed in range(3):
        report = coordinate("lastzero", FakePool(seed, loss=0.2, twice=0.2, timed=0.5), flags=("-DN=11",))
        assert (report.results.executions, report.results.blocked) == (one.executions, one.blocked)
        assert digest(report.results) == one.extra["digest"]


def test_a_coordinator_that_dies_goes_on_from_its_journal(tmp_path: Path) -> None:
    """It dies at every commit: the file is copied there, and each copy leads to the same end."""
    one = fencepost.check(PROGRAMS / "casw.fp", flags=["-DN=4"], digest=True)
    journal, copies = tmp_path / "journal", []

    class Dying(FakePool):
        def arrivals(self, seconds: float) -> list[coordinator.Arrival]:
            copies.append(journal.read_bytes())
            return super().arrivals(seconds)

    report = coordinate("casw", Dying(1, loss=0.2), flags=("-DN=4",), save=str(journal))
    assert report.results.executions == one.executions and len(copies) > 5
    torn = [content[:-7] for content in copies[1::2]]
    for seed, content in enumerate([*copies[::3], *torn[::3]]):
        journal.write_bytes(content)
        again = coordinate("casw", FakePool(seed, loss=0.2), flags=("-DN=4",), resume=str(journal), save=str(journal))
        assert (again.results.executions, digest(again.results)) == (one.executions, one.extra["digest"])
        assert again.reason is None


def test_one_machine_goes_on_where_a_cluster_stopped_and_back(tmp_path: Path) -> None:
    file = str(tmp_path / "state")
    one = fencepost.check(PROGRAMS / "casw.fp", flags=["-DN=5"], digest=True)
    part = coordinate("casw", FakePool(1), flags=("-DN=5",), save=file, max_executions=3000)
    assert part.reason is not None and part.results.executions < one.executions
    more = fencepost.check(
        PROGRAMS / "casw.fp", flags=["-DN=5"], digest=True, resume=file, save=file, max_executions=20_000
    )
    assert part.results.executions < more.executions < one.executions
    rest = coordinate("casw", FakePool(2), flags=("-DN=5",), resume=file)
    assert (rest.results.executions, digest(rest.results)) == (one.executions, one.extra["digest"])


def test_a_second_return_is_dropped_whole() -> None:
    """The two are cut at different places: half of one and half of the other would count executions twice."""
    first, second = _core.CoreResults(), _core.CoreResults()
    first.executions, second.executions = 5, 9
    ledger = Ledger(_core.CoreResults(), [b"piece"])
    assert ledger.commit(Return(0, End.PAUSED, first, (b"a", b"b")))
    assert not ledger.commit(Return(0, End.PAUSED, second, (b"c",)))
    assert ledger.results.executions == 5 and sorted(ledger.pieces.values()) == [b"a", b"b"] and ledger.dropped == 1


def test_a_worker_of_another_version_refuses() -> None:
    task = Task("run", "job", 7, b"", 1.0, 1, version="0.0.0")
    returned = open_return(worker.work(task.packed()))
    assert (returned.number, returned.end) == (7, End.REFUSED) and "it has fencepost" in returned.why


def test_a_worker_asks_for_a_job_that_it_has_not_seen() -> None:
    returned = open_return(worker.work(Task("run", "never seen", 7, b"", 1.0, 1).packed()))
    assert (returned.number, returned.end) == (7, End.LACKS_JOB)


def test_a_job_that_the_core_cannot_run_is_refused() -> None:
    returned = open_return(worker.work(Task("run", "bad", 7, b"", 1.0, 1, job=b"no job").packed()))
    assert returned.end is End.REFUSED and "cannot run the job" in returned.why


def test_workers_that_die_over_the_same_piece() -> None:
    class Deadly(FakePool):
        def _ran(self, number: int, content: bytes) -> list[coordinator.Arrival]:
            return [coordinator.Arrival(number, trouble=coordinator.Trouble.KILLED)]

    with pytest.raises(UsageError, match="workers die over the same piece"):
        coordinate("casw", Deadly(1), flags=("-DN=5",))


@pytest.mark.parametrize("gone", ["the connection is closed", ""])
def test_a_cluster_that_goes_away_keeps_what_was_found(
    tmp_path: Path, gone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coordinator, "_ALONE_FOR", 0.0)

    class Going(FakePool):
        def arrivals(self, seconds: float) -> list[coordinator.Arrival]:
            if self.tasks > 20:
                self.gone, self.threads = gone, 0
                return []
            return super().arrivals(seconds)

    file = str(tmp_path / "state")
    report = coordinate("casw", Going(3), flags=("-DN=5",), save=file)
    assert report.reason is not None and report.reason.code is Code.CLUSTER
    assert (gone or "no worker is left") in report.reason.message
    rest = fencepost.check(PROGRAMS / "casw.fp", flags=["-DN=5"], digest=True, resume=file)
    assert rest.executions == 32_880 and 0 < report.results.executions < 32_880


def test_the_first_error_ends_it(tmp_path: Path) -> None:
    pool = FakePool(5)
    path = tmp_path / "bad.fp"
    path.write_text((PROGRAMS / "casw.fp").read_text() + '\nthread W { r := x; assert(r != 6, "six") }\n')
    report = coordinate(str(path.with_suffix("")), pool, flags=("-DN=4",))
    assert report.failed and report.results.findings[0].message == "six"
    assert report.reason is None
