"""Names of files and their content, for what every short command does: `pathlib` takes as long to load as three litmus
tests take to run. Everywhere else paths are of that library."""

from __future__ import annotations

import os


def name_of(path: str) -> str:
    return os.path.basename(path.rstrip(os.sep))


def suffix(path: str) -> str:
    """With its dot; empty where there is none."""
    found = os.path.splitext(name_of(path))[1]
    return "" if found == "." else found


def stem(path: str) -> str:
    """The name without its suffix."""
    return name_of(path).removesuffix(suffix(path))


def beside(path: str, name: str) -> str:
    """The file of this name in the folder of another one."""
    return os.path.join(os.path.dirname(path), name)


def above(folder: str) -> str:
    """The folder in which it is; itself where there is none."""
    return os.path.dirname(folder)


def here() -> str:
    return os.getcwd()


def is_there(path: str) -> bool:
    return os.path.exists(path)


def is_file(path: str) -> bool:
    return os.path.isfile(path)


def is_folder(path: str) -> bool:
    return os.path.isdir(path)


def below(folder: str, suffix: str) -> list[str]:
    """The files of a folder and of those in it whose names end so, sorted."""
    places = (os.path.join(where, name) for where, _, names in os.walk(folder) for name in names)
    found = (place for place in places if place.endswith(suffix))
    return sorted(place.removeprefix(f".{os.sep}") for place in found)


def content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
