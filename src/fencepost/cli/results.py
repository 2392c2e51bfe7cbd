"""Answers that are kept: a program that did not change, under the same model and options, is answered at once.

The key of an answer is what the compiler made of the program, with its places, and the sources, whose lines are quoted;
an answer that time, memory or the user cut short is not kept. Beside it stands which files the compiler read: as long
as these are the same, the compiler is not asked either."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fencepost import api, cache
from fencepost.cli.frame import Reply
from fencepost.options import CheckOptions, ReportOptions
from fencepost.records import dataclass
from fencepost.verdict import Answer

if TYPE_CHECKING:
    from fencepost.public import Unread

_KIND, _READ = "answers", "read"
_NOTE = "the same as before: nothing changed (--no-cache explores again)"
_TICK = 50_000_000  # nanoseconds by which the time of a file may lag behind the clock


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. `sources` takes the files that the answer rests on."""

    files: Sequence[str]
    flags: tuple[str, ...]
    options: CheckOptions
    reports: ReportOptions
    sources: set[str]

    def opened(self) -> Unread:
        given = api.open_files(self.files, flags=self.flags)
        self.sources.update(given.sources)
        return given

    def lasts(self) -> bool:
        """Whether it has everything that its answer depends on: a user's own model may include files that we do not
        know of here, and what is saved or on a cluster lies elsewhere."""
        options = self.options
        elsewhere = options.save or options.resume or options.cluster or options.commit_before
        return api.find_model(options.model).ours and not elsewhere and not options.deepen

    def key(self, *program: str) -> str:
        """One name for the question about this program."""
        shown = (
            sys.stdout.isatty(), shutil.get_terminal_size().columns,
            *(os.environ.get(name) for name in ("NO_COLOR", "FORCE_COLOR", "TERM")),
        )  # fmt: skip
        model = api.find_model(self.options.model).source
        return cache.key(cache.code(), model, repr(self.options), repr((shown, self.reports.all)), *program)


def remembered(question: Question, explore: Callable[[Unread], Reply], *, cached: bool) -> Reply:
    """The reply of `explore`, or the one that it gave earlier to the same question."""
    if cache.folder() is None or not question.lasts():
        return explore(question.opened())
    since = time.time_ns() - _TICK
    setting = api.setting_of(question.files, flags=question.flags)
    if cached and setting and (reply := _unread(question, setting)) is not None:
        return reply
    given = question.opened()
    if not given.content:
        return explore(given)
    name = question.key(given.content, *map(_text, given.sources))
    reply = _known(name) if cached else None
    if reply is None:
        reply = explore(given)
        if not _lasting(reply):
            return reply
        kept = {"text": reply.text, "data": dict(reply.data), "exit_code": int(reply.exit_code)}
        cache.save(_KIND, name, json.dumps(kept, default=str).encode())
    if setting and (footprint := api.look(question.files, given, since, flags=question.flags)):
        note = {"footprint": footprint, "sources": given.sources, "answer": name}
        cache.save(_READ, question.key(setting), json.dumps(note).encode())
    return reply


def _unread(question: Question, setting: str) -> Reply | None:
    """The answer of the last time, where every file that the compiler read then is what it was."""
    note = cache.load(_READ, question.key(setting))
    if note is None:
        return None
    found: dict[str, Any] = json.loads(note)
    if not api.unchanged(found["footprint"], flags=question.flags):
        return None
    reply = _known(found["answer"])
    if reply is not None:
        question.sources.update(found["sources"])
    return reply


def _known(name: str) -> Reply | None:
    known = cache.load(_KIND, name)
    if known is None:
        return None
    found = json.loads(known)
    text = f"{found['text'].removesuffix(chr(10))}\n{_NOTE}\n"
    return Reply(text, found["data"] | {"cached": True}, found["exit_code"])


def _lasting(reply: Reply) -> bool:
    """Whether the same question would be answered the same on any day."""
    return reply.data.get("verdict") in (Answer.PASS.value, Answer.FAIL.value, Answer.BOUNDED.value)


def _text(file: str) -> str:
    """The story quotes lines: those are part of the answer."""
    try:
        return Path(file).read_bytes().hex()
    except OSError:
        return ""
