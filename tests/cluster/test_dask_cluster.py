"""On a real dask cluster of two processes: the same numbers, and every refusal by name."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from slow_link import link_to

import fencepost
from fencepost.errors import UnsupportedError, UsageError
from fencepost.verdict import Answer

distributed = pytest.importorskip("distributed", reason="clusters need distributed: pip install 'fencepost[cluster]'")

PROGRAMS = Path(__file__).parent.parent.parent / "benchmarks" / "programs"
CASW = PROGRAMS / "casw.fp"
PAPERS = PROGRAMS.parent.parent / "examples" / "papers"


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    from fencepost.cluster.connection import connect

    yield connect("local", None, 2)


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process explores next to nothing by itself."""
    from fencepost.cluster import coordinator

    monkeypatch.setattr(coordinator, "_ALONE", 0.0)


def pids(client: Any) -> list[int]:
    """Of the workers that answer: one that was killed stays on the list until its connection is seen broken."""
    answers = client.run(os.getpid, on_error="return").values()
    return sorted(answer for answer in answers if isinstance(answer, int))


def addresses(client: Any) -> list[str]:
    """Of the workers that answer."""
    return sorted(a for a, answer in client.run(os.getpid, on_error="return").items() if isinstance(answer, int))


def pids_of_two_others(client: Any, before: list[int], seconds: float = 120.0) -> list[int]:
    """Once two workers answer and one of them is new; what answers at the end, if that never happens."""
    end = time.monotonic() + seconds
    while len(now := pids(client)) < 2 or now == before:
        if time.monotonic() > end:
            return now
        time.sleep(0.2)
    return now


def test_counts_and_digests_are_those_of_one_thread(client: Any, shared: None) -> None:
    one = fencepost.check(CASW, flags=["-DN=6"], digest=True)
    many = fencepost.check(CASW, flags=["-DN=6"], digest=True, cluster=client)
    assert (many.answer, many.executions, many.extra) == (one.answer, one.executions, one.extra)
    assert many.executions == 1_270_080


def test_outcomes_are_those_of_one_thread(client: Any, shared: None) -> None:
    path = PROGRAMS / "fib_bench.fp"
    assert fencepost.outcomes(path, cluster=client).states == fencepost.outcomes(path).states


def test_the_first_error_is_told_with_its_witness(client: Any, shared: None, tmp_path: Path) -> None:
    path = tmp_path / "bad.fp"
    path.write_text(CASW.read_text() + '\nthread W { r := x; assert(r != 6, "six") }\n')
    verdict = fencepost.check(path, flags=["-DN=6"], cluster=client, fix=False)
    assert verdict.answer is Answer.FAIL and verdict.witness is not None and verdict.reason.endswith(": six")


def test_workers_that_are_killed_change_nothing(client: Any, shared: None) -> None:
    one = fencepost.check(CASW, flags=["-DN=6"], digest=True)
    before, over = pids(client), threading.Event()

    def kill() -> None:
        while not over.wait(0.7):
            try:
                os.kill(pids(client)[0], signal.SIGKILL)
                return
            except (ProcessLookupError, IndexError):
                continue

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    many = fencepost.check(CASW, flags=["-DN=6"], digest=True, cluster=client)
    while killer.is_alive() and not over.is_set():
        killer.join(0.1)
    over.set()
    assert (many.executions, many.extra["digest"]) == (one.executions, one.extra["digest"])
    after = pids_of_two_others(client, before)
    assert len(after) == 2 and after != before


def fencepost_run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fencepost", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--cluster", "tcp://127.0.0.1:1"), "nobody answers"),
        (("--cluster", "nowhere"), "expected local, tcp://HOST:PORT or tls://HOST:PORT"),
        (("--cluster", "local", "--algorithm", "rsmc", "--model", "power"), "rsmc cannot pause"),
        (("--cluster", "local", "--model", "lkmm"), "all candidates are enumerated"),
        (("--cluster", "tcp://127.0.0.1:1", "--jobs", "2"), "--jobs is for this machine"),
        (("--cluster", "tls://127.0.0.1:1", "--certificates", "/nowhere"), "ca.pem is missing"),
        (("--certificates", "/nowhere"), "--certificates is for --cluster"),
    ],
)
def test_what_cannot_be_is_refused(arguments: tuple[str, ...], message: str) -> None:
    done = fencepost_run("check", str(CASW), *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr and done.stderr.startswith("error: ") and "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["rocker-sb", "rocker-mp", "rocker-bar-loop"])
def test_robustness_is_searched_on_a_worker_as_a_whole(client: Any, name: str) -> None:
    program = PAPERS / f"{name}.fp"
    here, there = fencepost.robust(program), fencepost.robust(program, cluster=client)
    timeless = {"seconds": 0.0, "extra": there.extra | {"search": None}}
    assert replace(there, **timeless) == replace(here, **timeless | {"extra": here.extra | {"search": None}})
    assert there.extra["search"].keys() == here.extra["search"].keys()
    assert there.why == here.why and there.fix == here.fix
    if here.witness is not None:
        assert there.witness.program.sources == here.witness.program.sources != ()


def test_what_a_search_cannot_treat_is_told_by_name(client: Any) -> None:
    with pytest.raises(UnsupportedError, match="there is none for tso") as told:
        fencepost.robust(PAPERS / "rocker-sb.fp", cluster=client, state=True, against="tso")
    with pytest.raises(UnsupportedError) as here:
        fencepost.robust(PAPERS / "rocker-sb.fp", state=True, against="tso")
    assert str(told.value) == str(here.value)


def test_a_search_that_nobody_waits_for_ends(client: Any) -> None:
    from fencepost.cluster.pool import DaskPool
    from fencepost.models.registry import find
    from fencepost.options import RobustOptions
    from fencepost.remote_robustness import _packed

    endless = fencepost.read("var x = 0\nthread A { while 1 == 1 { r := x; x := r + 1 } }\nthread B { x := 2 }\n")
    pool = DaskPool(client, "endless", "fencepost.remote_robustness:search")
    deadline = time.monotonic() + 60
    while pool.undecided:
        assert time.monotonic() < deadline, "every worker should tell its version"
        time.sleep(0.05)
    pool.submit(0, _packed(endless, find("ra"), RobustOptions(), "endless"))
    assert pool.arrivals(1.0) == []
    pool.stop_running()
    came = []
    while not came and time.monotonic() < deadline:
        came = pool.arrivals(0.5)
    assert [a.number for a in came] == [0] and "StoppedError" in came[0].why
    pool.close()


def test_a_scheduler_without_workers_is_refused() -> None:
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as empty,
        distributed.Client(empty) as own,
    ):
        from fencepost.cluster import connection

        before, connection._NO_WORKERS = connection._NO_WORKERS, 0.5
        try:
            with pytest.raises(UsageError) as refused:
                fencepost.check(CASW, cluster=own)
            address = own.scheduler.address
            assert str(refused.value) == (
                f"--cluster {address}: the scheduler has no workers; start some: fencepost cluster --join {address}"
            )
        finally:
            connection._NO_WORKERS = before


def test_a_worker_of_another_version_is_not_used(client: Any, shared: None) -> None:
    """The only one: refused by name. Beside others: left out, with a warning."""

    def pretend(version: str) -> None:
        import fencepost.cluster.worker as worker

        worker.__version__ = version

    first = addresses(client)[0]
    try:
        client.run(pretend, "0.0.0", workers=[first])
        verdict = fencepost.check(CASW, flags=["-DN=6"], cluster=client)
        assert verdict.executions == 1_270_080
        assert any("is not used: it has fencepost 0.0.0" in w and first in w for w in verdict.warnings)
        client.run(pretend, "0.0.0")
        with pytest.raises(UsageError, match=r"no worker can be used; .*: it has fencepost 0\.0\.0"):
            fencepost.check(CASW, cluster=client)
    finally:
        client.run(pretend, fencepost.__version__)


def test_a_worker_without_fencepost_is_not_used_and_lives_on(client: Any, shared: None) -> None:
    def forget(forgotten: bool) -> None:
        import sys

        if forgotten:
            sys.modules["fencepost.cluster.worker"] = None  # type: ignore[assignment] # no import will find it
        else:
            del sys.modules["fencepost.cluster.worker"]

    address, before = addresses(client)[0], pids(client)
    client.run(forget, True, workers=[address])
    try:
        verdict = fencepost.check(CASW, flags=["-DN=6"], cluster=client)
        assert verdict.executions == 1_270_080
        assert any(address in w and "it lacks fencepost" in w for w in verdict.warnings)
        assert pids(client) == before
    finally:
        client.run(forget, False, workers=[address])


def test_a_certificate_is_needed_beyond_this_machine() -> None:
    done = fencepost_run("cluster", "--host", "0.0.0.0")
    assert done.returncode == 2 and "asks for certificates" in done.stderr


# --- suites


def test_a_suite_says_the_same(client: Any, tmp_path: Path) -> None:
    """One that cannot be read among them; and under a model of the user's own, with what it includes."""
    files = []
    for k, test in enumerate(fencepost.generate("x86", size=4, limit=20)):
        files.append(str(tmp_path / f"t{k}.litmus"))
        Path(files[-1]).write_text(test.text)
    (tmp_path / "bad.litmus").write_text("X86 bad\n{ ")
    (tmp_path / "mine.cat").write_text('"mine"\ninclude "part.cat"\nacyclic order as all\n')
    (tmp_path / "part.cat").write_text("let order = po | rf | co | fr\n")
    files.insert(3, str(tmp_path / "bad.litmus"))

    def rows(**options: Any) -> list[tuple[Any, ...]]:
        found = fencepost.litmus(files, **options).results
        return [(r.path, r.name, r.status, r.holds, r.states, r.executions, r.reason, r.model) for r in found]

    assert rows(cluster=client) == rows(processes=1)
    mine = str(tmp_path / "mine.cat")
    assert rows(cluster=client, model=mine) == rows(processes=1, model=mine)


# --- links


def test_a_slow_link_and_one_that_stands_still_change_nothing(client: Any, shared: None) -> None:
    one = fencepost.check(CASW, flags=["-DN=6"], digest=True)
    with link_to(int(client.scheduler.address.rpartition(":")[2]), 0.1) as link:
        timer = threading.Timer(1.0, link.still.set)
        again = threading.Timer(4.0, link.still.clear)
        timer.start(), again.start()
        verdict = fencepost.check(CASW, flags=["-DN=6"], digest=True, cluster=f"tcp://127.0.0.1:{link.port}")
        again.join()
    assert (verdict.answer, verdict.executions, verdict.extra) == (one.answer, one.executions, one.extra)


def test_a_link_that_breaks_keeps_what_was_found(
    client: Any, shared: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fencepost.cluster import pool

    state = str(tmp_path / "state")
    with link_to(int(client.scheduler.address.rpartition(":")[2])) as link:

        def broken_after_the_first_return(executions: int, *_: object) -> None:
            if executions:
                monkeypatch.setattr(pool, "_SILENCE", 2.0)
                link.break_off()

        where = f"tcp://127.0.0.1:{link.port}"
        watch = broken_after_the_first_return
        verdict = fencepost.check(CASW, flags=["-DN=8"], cluster=where, save=state, progress=watch)
    assert verdict.answer is Answer.UNKNOWN and verdict.reasons[0].code is fencepost.Code.CLUSTER
    more = fencepost.check(CASW, flags=["-DN=8"], resume=state, max_executions=verdict.executions + 1000)
    assert more.executions >= verdict.executions > 0


def test_only_who_has_a_certificate_comes_in(tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificates")
    command = [sys.executable, "-m", "fencepost", "cluster", "--port", "0", "--workers", "1", "--certificates", "certs"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as cluster:
        try:
            assert cluster.stdout is not None
            address = cluster.stdout.readline().split()[1].rstrip(",")
            assert address.startswith("tls://") and "new certificates in certs" in cluster.stdout.readline()
            good = fencepost_run("check", str(CASW), "--cluster", address, "--certificates", "certs", cwd=tmp_path)
            assert good.returncode == 0 and "66 executions" in good.stdout
            (tmp_path / "certs").rename(tmp_path / "old")
            from fencepost.cluster.certificates import make

            make(tmp_path / "other")
            for arguments in ((), ("--certificates", "other")):
                bad = fencepost_run("check", str(CASW), "--cluster", address, *arguments, cwd=tmp_path)
                assert bad.returncode == 2 and "Traceback" not in bad.stderr, bad.stderr
            assert (tmp_path / "old" / "key.pem").stat().st_mode & 0o077 == 0
        finally:
            cluster.send_signal(signal.SIGINT)
