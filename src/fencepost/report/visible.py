"""Text that came from a program, a file name or a compiler, safe to send to a terminal: what would steer the terminal
(escape sequences, a bell, letters that turn the direction of writing) is shown instead."""

from __future__ import annotations

import re

#: All of C0 but the newline, DEL, C1, and the marks that turn the direction of text around.
_STEERS = "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
_SHORT = {"\t": " ", "\r": "\\r", "\a": "\\a", "\b": "\\b", "\v": "\\v", "\f": "\\f", "\x1b": "\\e"}


def visible(text: str) -> str:
    return re.sub(_STEERS, lambda m: _SHORT.get(m[0]) or ascii(m[0])[1:-1], text)
