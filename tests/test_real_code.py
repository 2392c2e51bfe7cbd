"""The programs of public libraries: the catalogue fits the files, and the page says what was found."""

from __future__ import annotations

import json
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from bench.real import CATALOGUE, CLIENTS, CheckoutError, Client, _official, clients, explained  # noqa: E402
from bench.real_page import page, why_passed  # noqa: E402
from bench.seeds import seeds  # noqa: E402
from real_code import arguments, checked, is_done, without_folders  # noqa: E402

from fencepost.cache import code  # noqa: E402

LIBRARIES = tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("library", [name for name, about in LIBRARIES.items() if "clients" in about])
def test_every_client_is_listed_and_has_its_file(library: str) -> None:
    about = LIBRARIES[library]
    listed = set(about["clients"]).union(*(b.get("also", []) for b in about["builds"].values()))
    there = {p.name for p in (CLIENTS / library).iterdir() if p.suffix in (".c", ".cpp")}
    assert there == listed
    assert set(about.get("client", {})) <= listed


def test_a_build_gives_each_client_its_flags_and_files(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "ck_pr.h").touch()
    found = {c.name: c for c in clients({"ck": tmp_path})}
    client = found["epoch.c (x86)"]
    assert client.models == ("tso",) and "-DCK_TSO" in client.flags and f"-I{tmp_path}/include" in client.flags
    assert client.files == (str(CLIENTS / "ck" / "epoch.c"), f"{tmp_path}/src/ck_epoch.c")


def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckoutError, match=r"ck_pr\.h"):
        list(clients({"ck": tmp_path}))
    with pytest.raises(CheckoutError, match="not known"):
        list(clients({"nothing": tmp_path}))


def test_locks_are_asked_for_under_hardware_too(tmp_path: Path) -> None:
    call = "env CFLAGS=-DX vsyncer compile -o=check_{0}_rc11.ll {1}/test/{2}/{0}.c"
    lock = _official(shlex.split(call.format("caslock", tmp_path, "spinlock")))
    other = _official(shlex.split(call.format("quack", tmp_path, "quack")))
    assert lock is not None and lock.models == ("rc11", "armv8", "power", "imm")
    assert other is not None and other.models == ("rc11",)


def test_locks_are_asked_for_as_they_are_built_for_dartagnan_too(tmp_path: Path) -> None:
    call = "env CFLAGS=-DVSYNC_VERIFICATION_DAT3M vsyncer compile -o=check_{0}_vmm.ll {1}/test/{2}/{0}.c"
    lock = _official(shlex.split(call.format("mcslock", tmp_path, "spinlock")))
    assert lock is not None and (lock.name, lock.models) == ("check_mcslock (vmm)", ("armv8", "power", "imm"))
    assert lock.flags == ("-DVSYNC_VERIFICATION_DAT3M",)
    assert _official(shlex.split(call.format("quack", tmp_path, "quack"))) is None


def test_two_jobs_find_what_one_finds(tmp_path: Path) -> None:
    todo = []
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.fp").write_text(f"x = 0; thread A {{ x = 1 }} thread B {{ x = 2 }} // {name}\n")
        todo.append((Client("own", name, (str(tmp_path / f"{name}.fp"),)), "rc11"))

    def found(jobs: str) -> list[tuple[str, str, int]]:
        rows = checked(todo, arguments().parse_args(["own=here", "--jobs", jobs, "--limit", "20"]))
        return sorted((r["name"], r["verdict"], r["executions"]) for r in rows)

    assert found("2") == found("1") and len(found("1")) == 3


def test_the_page_counts_what_is_decided() -> None:
    row = {"library": "ck", "model": "tso", "cpu": 1.0, "options": "", "note": "", "executions": 3, "why": "", "at": ""}
    rows = [row | {"name": "a", "verdict": "PASS"}, row | {"name": "b", "verdict": "FAIL", "why": "data race"},
            row | {"name": "c", "verdict": "UNKNOWN", "why": "call to f", "at": "c.c:3"}]  # fmt: skip
    text = page({"machine": "here", "rows": rows})
    assert "| ck | tso | 2 of 3 | 1 | 1 | 1 |" in text
    assert "| c | tso | UNKNOWN | 3 | 1.0 | call to f; c.c:3 |" in text


def changes(folder: Path, text: str) -> list[str]:
    folder.mkdir(parents=True)
    file = folder / "queue.h"
    file.write_text(text, encoding="utf-8")
    return [f"{s.line} {s.change}" for s in seeds(file)]


def test_bugs_are_planted_one_at_a_time(tmp_path: Path) -> None:
    fence = "std::atomic_thread_fence(std::memory_order_seq_cst);"
    text = f"x.load(std::memory_order_acquire);\n// memory_order_release\n{fence}\n"
    assert changes(tmp_path / "include", text) == [
        "3 without `std::atomic_thread_fence(std::memory_order_seq_cst);`",
        "1 `std::memory_order_acquire` → `std::memory_order_relaxed`",
    ]


def test_orders_have_the_names_that_libraries_give_them(tmp_path: Path) -> None:
    text = "vatomic32_read_acq(&x);\nvatomicptr_xchg(&t, n);\nvatomic8_write_rlx(&y, 1);\nvatomic32_init(&x, 0);\n"
    assert changes(tmp_path / "vsync", text) == [
        "1 `vatomic32_read_acq` → `vatomic32_read_rlx`", "2 `vatomicptr_xchg` → `vatomicptr_xchg_rlx`",
    ]  # fmt: skip
    assert changes(tmp_path / "atomic_queue", "x.store(1, R);\ntemplate<class A, class R>\n") == ["1 `R` → `X`"]


def test_a_planted_bug_leaves_the_rest_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "queue.h"
    file.write_text("a.load(__ATOMIC_ACQUIRE); b.store(1, __ATOMIC_RELEASE);", encoding="utf-8")
    assert [s.text for s in seeds(file)] == [
        "a.load(__ATOMIC_RELAXED); b.store(1, __ATOMIC_RELEASE);",
        "a.load(__ATOMIC_ACQUIRE); b.store(1, __ATOMIC_RELAXED);",
    ]


def test_the_page_tells_planted_bugs_that_no_program_uses_from_those_that_pass() -> None:
    seed = {"library": "q", "name": "q.c", "model": "rc11", "change": "without `f();`", "verdict": "PASS"}
    found = [seed | {"place": "q.h:1", "verdict": "FAIL"}, seed | {"place": "q.h:2", "unused": True},
             seed | {"place": "q.h:3"}, seed | {"place": "q.h:4", "verdict": "UNKNOWN"}]  # fmt: skip
    text = page(
        {"machine": "here", "rows": [], "seeds": found}, {"q.h:3": "twice", "q.c q.h:3": "no slot is used twice"}
    )
    assert "| q.c | rc11 | 4 | 1 | 1 | 1 | 1 |" in text and "1 of 3 are found" in text
    assert "| q.c | q.h:3 | without `f();` | PASS | no slot is used twice |" in text
    assert "q.h:4 | without `f();` | UNKNOWN | not explained |" in text and "q.h:2" not in text


def test_every_planted_bug_that_passes_is_explained() -> None:
    planted = json.loads((CLIENTS / "results.json").read_text(encoding="utf-8"))["seeds"]
    left = [s for s in planted if s["verdict"] != "FAIL" and not s.get("unused")]
    assert len({s["name"] for s in planted}) >= 10
    assert [s for s in left if s["verdict"] != "PASS" or not why_passed(s, explained())] == []


def test_what_is_left_out_of_a_run_that_goes_on() -> None:
    decided, open_, here = {"verdict": "PASS"}, {"verdict": "UNKNOWN"}, {"verdict": "UNKNOWN", "version": code()}
    left_out = {
        name: [is_done(row, arguments().parse_args(options)) for row in (decided, open_, here)]
        for name, options in (("all", []), ("undecided", ["--undecided"]), ("resume", ["--resume"]))
    }
    assert left_out == {
        "all": [False, False, False], "undecided": [True, False, False], "resume": [False, False, True],
    }  # fmt: skip


def test_no_row_says_where_a_checkout_was() -> None:
    race = "a race: a write at /home/me/ck/ck_ring.h:196:2 and a read at benchmarks/real/ring.c:12:5, 1/2"
    assert without_folders(race) == "a race: a write at ck_ring.h:196:2 and a read at benchmarks/real/ring.c:12:5, 1/2"
    stored = json.loads((CLIENTS / "results.json").read_text(encoding="utf-8"))
    assert [row["why"] for row in stored["rows"] if row["why"] != without_folders(row["why"])] == []
