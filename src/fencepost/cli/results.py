"""Answers that are kept: a program that did not change, under the same model and options, is answered at once.

The key is what the compiler made of the program, with its places, and the sources, whose lines are quoted; an answer
that time, memory or the user cut short is not kept."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from fencepost import api, cache
from fencepost.cli.frame import Reply
from fencepost.options import CheckOptions, ReportOptions
from fencepost.verdict import Answer

if TYPE_CHECKING:
    from fencepost.public import Unread

_KIND = "answers"
_NOTE = "the same as before: nothing changed (--no-cache explores again)"


def remembered(
    given: Unread, options: CheckOptions, reports: ReportOptions, explore: Callable[[], Reply], *, cached: bool
) -> Reply:
    """The reply of `explore`, or the one that it gave earlier to the same question."""
    if not given.content or cache.folder() is None or not _lasts(options):
        return explore()
    name = _key(given, options, reports)
    if cached and (known := cache.load(_KIND, name)) is not None:
        found = json.loads(known)
        text = f"{found['text'].removesuffix(chr(10))}\n{_NOTE}\n"
        return Reply(text, found["data"] | {"cached": True}, found["exit_code"])
    reply = explore()
    if _lasting(reply):
        kept = {"text": reply.text, "data": dict(reply.data), "exit_code": int(reply.exit_code)}
        cache.save(_KIND, name, json.dumps(kept, default=str).encode())
    return reply


def _lasts(options: CheckOptions) -> bool:
    """Whether the question has everything that its answer depends on: a user's own model may include files that we do
    not know of here, and what is saved or on a cluster lies elsewhere."""
    elsewhere = options.save or options.resume or options.cluster or options.commit_before
    return api.find_model(options.model).ours and not elsewhere and not options.deepen


def _lasting(reply: Reply) -> bool:
    """Whether the same question would be answered the same on any day."""
    return reply.data.get("verdict") in (Answer.PASS.value, Answer.FAIL.value, Answer.BOUNDED.value)


def _key(given: Unread, options: CheckOptions, reports: ReportOptions) -> str:
    texts = [_text(file) for file in given.sources]
    shown = (
        sys.stdout.isatty(), shutil.get_terminal_size().columns,
        *(os.environ.get(name) for name in ("NO_COLOR", "FORCE_COLOR", "TERM")),
    )  # fmt: skip
    return cache.key(
        cache.code(), given.content, api.find_model(options.model).source, repr(asdict(options)),
        repr((shown, reports.all)), *texts,
    )  # fmt: skip


def _text(file: str) -> str:
    """The story quotes lines: those are part of the answer."""
    try:
        return Path(file).read_bytes().hex()
    except OSError:
        return ""
