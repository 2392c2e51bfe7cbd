"""Litmus tests on a cluster. The text of a test and of a model of the user's own travels with it: workers need no
files."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from fencepost.cluster.batch import share
from fencepost.errors import UsageError
from fencepost.explore.packed import Json, Record, unpacked
from fencepost.models.registry import find
from fencepost.suite.run import Item, Job, Result, Status, died, run_test

_AT_ONCE = 8  # tests in one task
_INCLUDE = re.compile(r'\binclude\s+"([^"]+)"')


Group: TypeAlias = "list[tuple[int, Item, bytes]]"  # tests by their numbers, with their texts


def run_remotely(
    items: Sequence[Item], job: Job, where: object, certificates: str | None, workers: int
) -> Iterator[Result]:
    """The results in the order of the tests."""
    texts = {k: _content(path) for k, (path, _) in enumerate(items)}
    known = {k: run_test(items[k], job) for k, text in texts.items() if text is None}  # which says why
    readable = [(k, items[k], text) for k, text in texts.items() if text is not None]
    groups = [readable[k : k + _AT_ONCE] for k in range(0, len(readable), _AT_ONCE)]
    shown = 0
    for found in _grouped(groups, job, where, certificates, workers):
        known |= found
        while shown in known:
            yield known.pop(shown)
            shown += 1
    yield from (known[k] for k in sorted(known))


def _grouped(
    groups: list[Group], job: Job, where: object, certificates: str | None, workers: int
) -> Iterator[dict[int, Result]]:
    """The results of one group after the other. Where workers die over one, its tests are tried alone."""
    model = _model_files(job.model)
    asked = [_packed(group, job, model) for group in groups]
    for number, content in share(where, certificates, workers, f"{__name__}:run_group", asked):
        group = groups[number]
        if content is not None:
            yield dict(zip((k for k, _, _ in group), _results(content), strict=True))
        elif len(group) == 1:
            yield {group[0][0]: died(group[0][1])}
        else:
            yield from _grouped([[one] for one in group], job, where, certificates, workers)


def _packed(group: Group, job: Job, model: Mapping[str, bytes]) -> bytes:
    data: dict[str, Json] = {
        "job": {f.name: getattr(job, f.name) for f in fields(job)},
        "tests": [[path, expected] for _, (path, expected), _ in group], "model": list(model),
    }  # fmt: skip
    return Record(data, (*(text for _, _, text in group), *model.values())).packed()


def _content(path: str) -> bytes | None:
    try:
        return Path(path).read_bytes()
    except OSError:
        return None


def _model_files(model: str | None) -> dict[str, bytes]:
    """A model of the user's own and what it includes from beside it, by their names there; the model comes first."""
    if model is None or find(model).ours:
        return {}
    root = find(model).path
    found: dict[str, bytes] = {}
    wanted = [root.with_suffix(".bell").name, root.name]  # where there is one
    while wanted:
        name = wanted.pop()
        if name in found or not (root.parent / name).is_file():
            continue  # one of ours
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise UsageError(f"--cluster: {root} includes {name}, which is not beside it: it cannot be sent to workers")
        found[name] = (root.parent / name).read_bytes()
        wanted += _INCLUDE.findall(found[name].decode("utf-8", "replace"))
    return found


def _results(content: bytes) -> list[Result]:
    data: Any = unpacked(content).data
    return [Result(**(row | {"status": Status(row["status"])})) for row in data["results"]]


# --- on a worker


def run_group(content: bytes) -> bytes:
    """Runs some tests, whatever happens to them."""
    record = unpacked(content)
    data: Any = record.data
    job, items, names = Job(**data["job"]), [(path, expected) for path, expected in data["tests"]], data["model"]
    if not names:
        return _ran(items, record.blobs, job)
    with tempfile.TemporaryDirectory(prefix="fencepost-") as folder:
        for name, text in zip(names, record.blobs[len(items) :], strict=True):
            file = Path(folder) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text)
        return _ran(items, record.blobs, replace(job, model=f"{folder}/{names[0]}"))


def _ran(items: Sequence[Item], texts: Sequence[bytes], job: Job) -> bytes:
    found = [run_test(item, job, text) for item, text in zip(items, texts, strict=False)]
    return Record({"results": [_plain(r) for r in found]}).packed()


def _plain(result: Result) -> dict[str, Json]:
    return {f.name: getattr(result, f.name) for f in fields(result)} | {"status": result.status.value}
