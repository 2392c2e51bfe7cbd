"""Programs of public libraries: which there are in the checkouts that the user names, and how each is compiled."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CLIENTS = Path(__file__).resolve().parent.parent / "real"
CATALOGUE = CLIENTS / "clients.toml"
MODELS = ("rc11",)
HARDWARE = ("armv8", "power", "imm")


class CheckoutError(Exception):
    """A checkout that is not what it should be, or a tool that its build needs and that is not there."""


@dataclass(frozen=True, slots=True)
class Client:
    """One program and how it is checked. `note` says why a verdict is what it is, where that is not plain."""

    library: str
    name: str
    files: tuple[str, ...]
    options: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    models: tuple[str, ...] = MODELS
    note: str = ""


def clients(checkouts: Mapping[str, Path]) -> Iterator[Client]:
    """The programs for these checkouts, by the name of the library."""
    for library, path in checkouts.items():
        if not path.is_dir():
            raise CheckoutError(f"{library}={path}: there is no such folder")
        yield from _libvsync(path) if library == "libvsync" else _listed(library, path.resolve())


def seeded(library: str) -> list[tuple[str, str]]:
    """Clients for which bugs are planted, each with the file of the library that gets them."""
    found: dict[str, Any] = tomllib.loads(CATALOGUE.read_text(encoding="utf-8")).get(library, {})
    return [(client, file) for client, file in found.get("seeds", [])]


def noted() -> dict[str, str]:
    """What is to be said of an error, by the place of it, where the place alone says what it is."""
    found: dict[str, Any] = tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))
    return {place: why for about in found.values() for place, why in about.get("places", {}).items()}


def explained() -> dict[str, str]:
    """Why planted bugs pass, by the place of each, or by the client and the place."""
    found: dict[str, Any] = tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))
    return {place: why for about in found.values() for place, why in about.get("passes", {}).items()}


def known() -> list[str]:
    return list(tomllib.loads(CATALOGUE.read_text(encoding="utf-8")))


def _listed(library: str, path: Path) -> Iterator[Client]:
    """Our own clients, which include the library's headers. In a flag or file `{lib}` is the checkout and
    `{here}` the folder of the clients."""
    found: dict[str, Any] = tomllib.loads(CATALOGUE.read_text(encoding="utf-8")).get(library, {})
    if not found:
        raise CheckoutError(f"{library}: not known; the libraries are {', '.join(known())}")
    if not (path / found["has"]).exists():
        raise CheckoutError(f"{library}={path}: there is no {found['has']} in it; expected a checkout of the library")
    for build, how in found["builds"].items():
        flags = [*found.get("flags", []), *how.get("flags", [])]
        for source in [*found["clients"], *how.get("also", [])]:
            files = [str(CLIENTS / library / source), *how.get("files", [])]
            own = found.get("client", {}).get(source, {})
            yield Client(
                library, f"{source} ({build})" if build != "default" else source,
                tuple(f.format(lib=path, here=CLIENTS) for f in [*files, *own.get("files", [])]),
                (*found.get("options", []), *how.get("options", []), *own.get("options", [])),
                tuple(f.format(lib=path, here=CLIENTS) for f in [*flags, *own.get("flags", [])]),
                tuple(how.get("models", MODELS)), how.get("notes", {}).get(source, own.get("note", "")),
            )  # fmt: skip


# --- libvsync: its own build says which clients it verifies, and how


def _libvsync(path: Path) -> Iterator[Client]:
    """The official clients for rc11, with the flags of the library's own checks. Locks and what threads wait with are
    asked for under the models of hardware, too, in both builds that the library checks."""
    with tempfile.TemporaryDirectory() as build:
        command = ["cmake", "-G", "Unix Makefiles", "-S", str(path), "-B", build, "-DVSYNCER_CHECK=on"]
        try:
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as problem:
            raise CheckoutError(f"libvsync: its list of clients comes from its CMake files: {problem}") from None
        if ran.returncode:
            raise CheckoutError(f"libvsync={path}: cmake failed\n{ran.stderr}")
        for file in sorted(Path(build).rglob("build.make")):
            for line in file.read_text(encoding="utf-8").splitlines():
                if "vsyncer compile" in line and (found := _official(shlex.split(line))) is not None:
                    yield found


def _official(words: list[str]) -> Client | None:
    """The client that a call of `env CFLAGS=... vsyncer compile -o=TARGET.ll SOURCE` compiles, if it is for rc11; or,
    of locks and what threads wait with, for the library's own model (vmm), as it is built for Dartagnan: whoever tries
    to take a lock is then assumed to get it, where the other build tries again and again."""
    flags = next(w.removeprefix("CFLAGS=") for w in words if w.startswith("CFLAGS=")).split()
    target = next(Path(w.removeprefix("-o=")).stem for w in words if w.startswith("-o="))
    source = next(w for w in words if w.endswith(".c"))
    name, _, built_for = target.rpartition("_")
    hardware = HARDWARE if Path(source).parent.name in ("spinlock", "thread") else ()
    if built_for == "rc11":
        return Client("libvsync", name, (source,), (), tuple(flags), (*MODELS, *hardware))
    if built_for == "vmm" and hardware:
        return Client("libvsync", f"{name} (vmm)", (source,), (), tuple(flags), hardware)
    return None
