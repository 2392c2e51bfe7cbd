"""What the front end cannot translate. It is no error of the input: the place becomes a Fail that only counts if an
execution reaches it."""

from __future__ import annotations


class Unsupported(Exception):  # noqa: N818 - it never reaches a user as an exception
    """`what` names the construct as the programmer knows it."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what
