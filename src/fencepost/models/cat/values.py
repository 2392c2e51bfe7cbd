"""The values of the cat language that are the same for every evaluator, whatever its sets and relations are."""

from __future__ import annotations

from typing import Generic, TypeVar

from fencepost.models.cat import syntax as cat
from fencepost.records import dataclass

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Nothing:
    """`0`: empty, whatever is asked for."""


@dataclass(frozen=True, slots=True)
class Items(Generic[V]):
    """A tuple of the language."""

    items: tuple[V, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Closure(Generic[V]):
    fun: cat.Fun
    env: dict[str, V]

    def scope(self, args: list[V]) -> dict[str, V]:
        """What the names in its body mean in a call. A tuple may be passed for several parameters, and several
        arguments for one that takes a tuple."""
        params, given = self.fun.params, args
        if len(args) == 1 and len(params) > 1 and isinstance(args[0], Items):
            given = list(args[0].items)
        if len(params) == 1 and len(args) > 1:
            whole: V = Items(tuple(args))  # type: ignore[assignment]  # every evaluator's values include its tuples
            given = [whole]
        return {**self.env, **dict(zip(params, given, strict=True))}


@dataclass(frozen=True, slots=True)
class Builtin:
    name: str


def spread(b: cat.Binding, value: V) -> dict[str, V]:
    """The names of a binding; a tuple is taken apart."""
    if len(b.names) == 1:
        return {b.names[0]: value}
    assert isinstance(value, Items), "the type checker should have refused it"
    return dict(zip(b.names, value.items, strict=True))
