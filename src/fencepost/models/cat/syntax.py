"""The syntax tree of the cat language. Every node knows its place; nothing here knows what it means."""

from __future__ import annotations

from typing import TypeAlias

from fencepost.program.operands import Position
from fencepost.records import dataclass

# --- expressions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Name:
    name: str
    at: Position


@dataclass(frozen=True, slots=True)
class Base:
    """A primitive set or relation of the execution. Only the resolver makes it."""

    name: str
    at: Position


@dataclass(frozen=True, slots=True)
class Tag:
    """`'acquire`: an element of an `enum`."""

    name: str
    at: Position


@dataclass(frozen=True, slots=True)
class Empty:
    """`0` or `{}`: the empty set, relation or set of values, as its context asks."""

    at: Position


@dataclass(frozen=True, slots=True)
class Universe:
    """`_`: all events."""

    at: Position


@dataclass(frozen=True, slots=True)
class Binary:
    """op is one of `|  &  \\  ;  *` (the product) and `++` (a value added to a set of values)."""

    op: str
    left: Expression
    right: Expression
    at: Position


@dataclass(frozen=True, slots=True)
class Unary:
    """op is one of `+  *  ?  ^-1  ~  []`."""

    op: str
    inner: Expression
    at: Position


@dataclass(frozen=True, slots=True)
class Apply:
    function: Expression
    args: tuple[Expression, ...]
    at: Position


@dataclass(frozen=True, slots=True)
class Tuple:
    items: tuple[Expression, ...]
    at: Position


@dataclass(frozen=True, slots=True)
class ValueSet:
    """`{a, b}`: a set whose elements are themselves sets, relations or tags."""

    items: tuple[Expression, ...]
    at: Position


@dataclass(frozen=True, slots=True)
class Fun:
    """`name` is the name it was defined under, for messages."""

    params: tuple[str, ...]
    body: Expression
    at: Position
    name: str = ""


@dataclass(frozen=True, slots=True)
class LetIn:
    bindings: tuple[Binding, ...]
    recursive: bool
    body: Expression
    at: Position


@dataclass(frozen=True, slots=True)
class Clause:
    """pattern: a tag, `{}`, `_`, or `(head, tail)` for `head ++ tail`."""

    pattern: Tag | Empty | Universe | tuple[str, str]
    body: Expression
    at: Position


@dataclass(frozen=True, slots=True)
class Match:
    subject: Expression
    clauses: tuple[Clause, ...]
    at: Position


@dataclass(frozen=True, slots=True)
class Try:
    attempt: Expression
    fallback: Expression
    at: Position


@dataclass(frozen=True, slots=True)
class If:
    condition: Condition
    then: Expression
    otherwise: Expression
    at: Position


@dataclass(frozen=True, slots=True)
class Variant:
    """A named variant of the model, true where the user asked for it."""

    name: str
    at: Position


@dataclass(frozen=True, slots=True)
class Logic:
    """op is `not`, `&&` or `||`."""

    op: str
    parts: tuple[Condition, ...]
    at: Position


Condition: TypeAlias = Variant | Logic
Expression: TypeAlias = (
    Name | Base | Tag | Empty | Universe | Binary | Unary | Apply | Tuple | ValueSet | Fun | LetIn | Match | Try | If
)


@dataclass(frozen=True, slots=True)
class Binding:
    """`names` has several members for `let (a, b) = ...`. A function is a binding of one name to a Fun."""

    names: tuple[str, ...]
    value: Expression
    at: Position


# --- statements ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Let:
    bindings: tuple[Binding, ...]
    recursive: bool
    at: Position


@dataclass(frozen=True, slots=True)
class Check:
    """kind is acyclic, irreflexive or empty. role is `require`, `flag` (only reported) or `undefined` (where it fails
    the program has no meaning: reported as a flag too)."""

    kind: str
    negated: bool
    value: Expression
    name: str
    role: str
    at: Position


@dataclass(frozen=True, slots=True)
class Show:
    """What herd should draw; we keep it for drawings too."""

    values: tuple[tuple[str, Expression], ...]
    hide: bool
    at: Position


@dataclass(frozen=True, slots=True)
class Include:
    path: str
    at: Position


@dataclass(frozen=True, slots=True)
class Procedure:
    name: str
    params: tuple[str, ...]
    body: tuple[Statement, ...]
    recursive: bool
    at: Position


@dataclass(frozen=True, slots=True)
class Call:
    procedure: str
    args: tuple[Expression, ...]
    at: Position


@dataclass(frozen=True, slots=True)
class ForAll:
    variable: str
    values: Expression
    body: tuple[Statement, ...]
    at: Position


@dataclass(frozen=True, slots=True)
class With:
    """`with x from S`: some x in S makes the rest hold."""

    name: str
    values: Expression
    at: Position


@dataclass(frozen=True, slots=True)
class Enum:
    name: str
    tags: tuple[str, ...]
    at: Position


@dataclass(frozen=True, slots=True)
class IfStatement:
    condition: Condition
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    at: Position


Statement: TypeAlias = Let | Check | Show | Include | Procedure | Call | ForAll | With | Enum | IfStatement


@dataclass(frozen=True, slots=True)
class File:
    """`words`: every name that the text mentions, for the few names whose meaning depends on the dialect. `declared`:
    the word, without quotes, that a model may begin with; herd takes it for its architecture."""

    title: str
    statements: tuple[Statement, ...]
    path: str
    words: frozenset[str]
    declared: str = ""
