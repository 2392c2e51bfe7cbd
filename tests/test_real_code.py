"""The programs of public libraries: the catalogue fits the files, and the page says what was found."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from bench.real import CATALOGUE, CLIENTS, CheckoutError, clients  # noqa: E402
from bench.real_page import page  # noqa: E402

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


def test_the_page_counts_what_is_decided() -> None:
    row = {"library": "ck", "model": "tso", "cpu": 1.0, "options": "", "note": "", "executions": 3, "why": "", "at": ""}
    rows = [row | {"name": "a", "verdict": "PASS"}, row | {"name": "b", "verdict": "FAIL", "why": "data race"},
            row | {"name": "c", "verdict": "UNKNOWN", "why": "call to f", "at": "c.c:3"}]  # fmt: skip
    text = page({"machine": "here", "rows": rows})
    assert "| ck | tso | 2 of 3 | 1 | 1 | 1 |" in text
    assert "| c | tso | UNKNOWN | 3 | 1.0 | call to f; c.c:3 |" in text
