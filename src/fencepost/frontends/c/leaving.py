"""Which functions of a program may be left by a longjmp."""

from __future__ import annotations

from functools import cached_property

from fencepost.frontends.c.linked import Linked
from fencepost.frontends.c.llvm.tokens import plain_name
from fencepost.frontends.c.throwing import CALL
from fencepost.program.operands import Position

SETS = frozenset({"setjmp", "_setjmp", "__sigsetjmp", "sigsetjmp"})
JUMPS = frozenset({"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"})


class Leaving:
    """Unlike an exception, a jump goes through functions that the compiler takes for ones that never throw."""

    def __init__(self, linked: Linked) -> None:
        self.linked = linked
        self.places: list[Position | None] = []  # of the jumps
        self._left: dict[str, bool] = {}

    @cached_property
    def used(self) -> bool:
        known = self.linked.main.functions
        return not SETS.isdisjoint(known) and not JUMPS.isdisjoint(known)

    def may_jump(self, name: str) -> bool:
        """Whether a call of this function may end with a jump out of it."""
        if not self.used:
            return False
        if name not in self._left:
            reached = self._reached(name)
            self._left[name] = reached is None or not JUMPS.isdisjoint(reached)
        return self._left[name]

    def _reached(self, name: str) -> set[str] | None:
        """The functions that a call of this one may come to; None where one is called through a pointer."""
        todo, seen = [name], set[str]()
        while todo:
            one = todo.pop()
            if one in seen:
                continue
            seen.add(one)
            function = self.linked.defined(one)
            for line in function.lines or () if function is not None else ():
                if ("call " not in line and "invoke " not in line) or " asm " in line:
                    continue
                callee = CALL.search(line)
                if callee is None or callee.group(1)[0] == "%":
                    return None
                todo.append(plain_name(callee.group(1)))
        return seen
