"""What can go wrong because of what the user gave us. Each of these ends as one clear message and exit code 2."""

from __future__ import annotations


class FencepostError(Exception):
    """Base of all errors that are meant for the user: no traceback is shown for them."""


class UsageError(FencepostError):
    """An option or an argument that makes no sense, or a combination that does not."""


class InputError(FencepostError):
    """A mistake in an input file: where, what was found, what was expected, what to do."""

    def __init__(
        self, message: str, *, file: str, line: int = 0, column: int = 0, expected: str = "", hint: str = ""
    ) -> None:
        self.message, self.file, self.line, self.column = message, file, line, column
        self.expected, self.hint = expected, hint
        super().__init__(str(self))

    @property
    def place(self) -> str:
        return ":".join(str(p) for p in (self.file, self.line, self.column) if p)

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}"
        if self.expected:
            text += f"; expected {self.expected}"
        if self.hint:
            text += f"\n  hint: {self.hint}"
        return text


class UnsupportedError(FencepostError):
    """Something that is legal but that this analysis cannot treat; the message names it and its place."""


class InternalError(Exception):
    """Two of our own parts disagree: our bug, never the user's. Shown with a request to report it."""
