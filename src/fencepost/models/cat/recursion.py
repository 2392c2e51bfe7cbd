"""What is known of a `let rec` before it is evaluated: which of its names are sets, and whether its rounds end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from fencepost.models.cat import syntax as cat
from fencepost.records import fields, is_dataclass

#: Functions of relations that give sets, and grow with what they are given.
_TO_SETS = ("domain", "range")
_DEEP = 8  # functions in functions that are looked into


def sets_among(bindings: tuple[cat.Binding, ...], known: Callable[[cat.Expression], bool | None]) -> frozenset[str]:
    """The names that are sets. `known` says it of what is defined elsewhere; None: it may be either."""
    found: dict[str, bool | None] = {b.names[0]: None for b in bindings}
    for _ in bindings:  # a name tells the next one
        for b in bindings:
            found[b.names[0]] = _is_set(b.value, found, known)
    return frozenset(name for name, is_set in found.items() if is_set)


def _is_set(
    e: cat.Expression, found: Mapping[str, bool | None], known: Callable[[cat.Expression], bool | None]
) -> bool | None:
    match e:
        case cat.Name(name) if name in found:
            return found[name]
        case cat.Binary(op, left, right) if op in ("|", "&", "\\"):
            first = _is_set(left, found, known)
            return _is_set(right, found, known) if first is None else first
        case cat.Unary("~", inner):
            return _is_set(inner, found, known)
        case cat.Binary() | cat.Unary():
            return False
        case cat.Apply(cat.Name(name)) if name in _TO_SETS:
            return True
    return known(e) if isinstance(e, cat.Name | cat.Base | cat.Universe) else None


#: The definition of the function that an expression names; None where that is not known.
Functions: TypeAlias = Callable[[cat.Expression], cat.Fun | None]


def settles(bindings: tuple[cat.Binding, ...], functions: Functions) -> bool:
    """Whether the rounds surely end: every definition grows with what it is made of; or each circle of definitions goes
    through one that keeps what it had (`r = r | ...`): those grow, and the others follow them."""
    names = frozenset(n for b in bindings for n in b.names)
    uses = {b.names[0]: list(_Uses(names, functions).of(b.value)) for b in bindings}
    if all(grows for occurrences in uses.values() for _, grows in occurrences):
        return True
    keeping = {b.names[0] for b in bindings if _keeps(b)}
    follows = {
        n: {m for m, _ in occurrences if m not in keeping} for n, occurrences in uses.items() if n not in keeping
    }
    while ready := [n for n, others in follows.items() if not others]:
        follows = {n: others - set(ready) for n, others in follows.items() if n not in ready}
    return not follows


def _keeps(b: cat.Binding) -> bool:
    def parts(e: cat.Expression) -> Iterator[cat.Expression]:
        if isinstance(e, cat.Binary) and e.op == "|":
            yield from parts(e.left)
            yield from parts(e.right)
        else:
            yield e

    return any(isinstance(e, cat.Name) and e.name == b.names[0] for e in parts(b.value))


class _Uses:
    """Where names occur, and whether the whole grows with them there; in doubt it does not."""

    def __init__(self, names: frozenset[str], functions: Functions, depth: int = 0) -> None:
        self.names, self.functions, self.depth = names, functions, depth

    def of(self, e: object, grows: bool = True) -> Iterator[tuple[str, bool]]:
        match e:
            case cat.Name(name):
                if name in self.names:
                    yield name, grows
            case cat.Binary(op, left, right):
                yield from self.of(left, grows)
                yield from self.of(right, grows and op != "\\")
            case cat.Unary(op, inner):
                yield from self.of(inner, grows and op != "~")
            case cat.Apply(function, args):
                yield from ((name, False) for name in self._inside(function))
                for k, part in enumerate(args):
                    yield from self.of(part, grows and self._grows_with(function, k, len(args)))
            case tuple():
                for part in e:
                    yield from self.of(part, False)
            case _ if is_dataclass(e):
                for field in fields(e):
                    yield from self.of(getattr(e, field.name), False)

    def _inside(self, function: cat.Expression) -> list[str]:
        """The names that a function looks at itself: it may be one of the same definitions."""
        fun = self.functions(function) if self.depth <= _DEEP else None
        if fun is None:
            return []
        free = _Uses(self.names - frozenset(fun.params), self.functions, self.depth + 1)
        return [name for name, _ in free.of(fun.body)]

    def _grows_with(self, function: cat.Expression, k: int, count: int) -> bool:
        """Whether what a function gives grows with its argument number `k`."""
        if isinstance(function, cat.Name) and function.name in _TO_SETS:
            return True
        fun = self.functions(function)
        if fun is None or len(fun.params) != count or self.depth > _DEEP:
            return False
        inside = _Uses(frozenset({fun.params[k]}), self.functions, self.depth + 1)
        return all(grows for _, grows in inside.of(fun.body))
