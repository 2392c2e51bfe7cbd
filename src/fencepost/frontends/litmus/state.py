"""The initial state of a litmus test: `{ x=1; int y[2]={1,2}; 0:r1=x; uint64_t 1:X5; [z]=0; p=&x; }`."""

from __future__ import annotations

import re

from fencepost.frontends.litmus.beyond import refuse_type, refuse_value
from fencepost.frontends.scan import Token, Tokens
from fencepost.program.datatypes import Scalar
from fencepost.program.operands import Const, ConstantOperand, GlobalAddress, to_signed
from fencepost.records import dataclass, field

_SIZES = {"char": 1, "short": 2, "int": 4, "long": 8, "signed": 4, "unsigned": 4, "bool": 1, "_Bool": 1, "float": 0}
_PREFIXES = frozenset(
    {"volatile", "const", "_Atomic", "signed", "unsigned", "atomic", "static", "register", "restrict"}
)
_FIXED = re.compile(r"(?:atomic_)?(u?)int(?:_fast|_least)?(8|16|32|64)_t\Z")
_POINTER_SIZED = {"intptr_t": "i", "uintptr_t": "u", "size_t": "u", "ptrdiff_t": "i", "intmax_t": "i"}
_ATOMIC = {"atomic_int": "int", "atomic_long": "long", "atomic_short": "short", "atomic_char": "char",
           "atomic_bool": "bool", "atomic_llong": "long"}  # fmt: skip
#: Types of the Linux kernel, by their size.
KERNEL_TYPES = {"spinlock_t": 4, "atomic_t": 4, "atomic64_t": 8, "atomic_long_t": 8, "srcu_struct": 4}

INT = Scalar("i", 4)
POINTER = Scalar("p", 8)
MAX_ELEMENTS = 4096


@dataclass(frozen=True, slots=True)
class CType:
    """A type as C writes it: the scalar, how many `*` follow, and whether it is atomic."""

    scalar: Scalar
    stars: int = 0
    atomic: bool = False

    @property
    def value(self) -> Scalar:
        return POINTER if self.stars else self.scalar

    def pointed(self) -> CType:
        return CType(self.scalar, max(self.stars - 1, 0), self.atomic)


def read_type(tokens: Tokens) -> CType | None:
    """A C type with its stars, or None where no type stands."""
    start, words = tokens.index, list[str]()
    while tokens.token.kind == "name" and (tokens.token.text == "void" or _is_type_word(tokens.token.text)):
        words.append(tokens.next().text)
        if words[-1] == "struct":
            words.append(tokens.name("the name of a struct").text)
        if words[-1] == "_Atomic" and tokens.accept("("):
            inner = read_type(tokens)
            tokens.expect(")")
            if inner is None:
                tokens.fail("a type")
            return CType(inner.scalar, inner.stars + _stars(tokens), True)
    if not words:
        tokens.index = start
        return None
    atomic = any(w.startswith(("atomic", "_Atomic")) for w in words)
    return CType(_scalar(words), _stars(tokens), atomic)


def _is_type_word(word: str) -> bool:
    known = word in _SIZES or word in _PREFIXES or word in _POINTER_SIZED or word in _ATOMIC or word in KERNEL_TYPES
    return known or word == "struct" or bool(_FIXED.match(word))


def _stars(tokens: Tokens) -> int:
    count = 0
    while tokens.at("*", "const", "volatile", "restrict"):
        count += tokens.next().text == "*"
    return count


def _scalar(words: list[str]) -> Scalar:
    kind, size = "u" if "unsigned" in words else "i", 4
    for word in words:
        if fixed := _FIXED.match(word):
            return Scalar("u" if fixed[1] else "i", int(fixed[2]) // 8)
        if word in KERNEL_TYPES:
            return Scalar("i", KERNEL_TYPES[word])
        if word in _POINTER_SIZED:
            return Scalar(_POINTER_SIZED[word], 8)
        plain = _ATOMIC.get(word, word)
        if plain in ("bool", "_Bool"):
            return Scalar("u", 1)
        if plain in _SIZES and plain not in ("signed", "unsigned", "int"):
            size = _SIZES[plain]
    return Scalar(kind, size)


@dataclass(slots=True)
class Location:
    """A shared location. `scalar` is None where the test does not say; the code decides then."""

    name: str
    offset: int
    scalar: Scalar | None = None
    count: int = 1
    declared: bool = False
    values: list[ConstantOperand] = field(default_factory=list)


@dataclass(slots=True)
class State:
    """Registers are kept as the test writes them: only the dialect knows their other names."""

    locations: dict[str, Location] = field(default_factory=dict)
    registers: list[tuple[int, Token, ConstantOperand | None, Scalar | None]] = field(default_factory=list)
    symbols: dict[str, ConstantOperand] = field(default_factory=dict)  # `%x=y`: a register that herd chooses

    def location(self, name: str, offset: int) -> Location:
        """The location of this name; naming one makes it."""
        return self.locations.setdefault(name, Location(name, offset))


def read_state(tokens: Tokens) -> State:
    """Reads the inside of the braces up to its end."""
    state = State()
    while not tokens.done:
        if not tokens.accept(";", ","):
            _item(tokens, state)
            if not tokens.done and not tokens.at(";", ","):
                tokens.fail("';' between initial values")
    return state


def read_thread(tokens: Tokens) -> int | None:
    """`0:` or `P0:`, or None (nothing read) where neither stands."""
    token = tokens.token
    text = token.text[1:] if token.kind == "name" and re.match(r"P\d+\Z", token.text) else token.text
    if token.kind in ("number", "name") and text.isdigit() and tokens.peek().text == ":":
        tokens.index += 2
        return int(text)
    return None


def read_register(tokens: Tokens) -> Token:
    """The name of a register, without the mark that some dialects write before it: `r1`, `%rax`, `$2`."""
    if tokens.accept("$") and tokens.token.kind == "number":
        return tokens.next()
    tokens.accept("%")
    return tokens.name("a register")


def read_value(tokens: Tokens, state: State) -> ConstantOperand:
    """A number, or the address of a location: `x`, `&x`, `x[2]`, `x+8`."""
    if tokens.token.kind == "number" or tokens.at("-", "+"):
        return Const(to_signed(tokens.number()))
    if tokens.at("ATOMIC_INIT"):
        tokens.next()
        tokens.expect("(")
        value = tokens.number()
        tokens.expect(")")
        return Const(to_signed(value))
    if tokens.at("true", "false"):
        return Const(int(tokens.next().text == "true"))
    refuse_value(tokens)
    bracket = tokens.accept("&") and tokens.accept("(")
    token = tokens.name("a number or a location")
    location = state.location(token.text, token.offset)
    offset = 0
    if tokens.accept("["):
        offset = tokens.number() * (location.scalar.size if location.scalar else 4)
        tokens.expect("]")
    elif tokens.accept("+"):
        offset = tokens.number()
    if bracket:
        tokens.expect(")")
    return GlobalAddress(token.text, offset)


def _item(tokens: Tokens, state: State) -> None:
    refuse_type(tokens)
    type_ = read_type(tokens)
    thread = read_thread(tokens)
    if thread is not None:
        token = read_register(tokens)
        value = read_value(tokens, state) if tokens.accept("=") else None
        state.registers.append((thread, token, value, type_.value if type_ else None))
        return
    if tokens.at("%"):
        _symbol(tokens, state)
        return
    bracket = tokens.accept("[")
    star = not bracket and tokens.accept("*")
    refuse_value(tokens)
    token = tokens.name("a location, or a register such as 0:r1")
    if bracket:
        tokens.expect("]")
    location = state.location(token.text, token.offset)
    if location.declared and location.values:
        tokens.fail("each location once", f"{token.text} has an initial value already", token)
    location.declared = True
    if type_ is not None:
        location.scalar = type_.pointed().value if star and type_.stars else type_.value
    if tokens.accept("["):
        size = tokens.token
        location.count = tokens.number("the number of elements")
        if not 1 <= location.count <= MAX_ELEMENTS:
            tokens.fail(f"1 to {MAX_ELEMENTS} elements", token=size)
        tokens.expect("]")
    if tokens.accept("="):
        _values(tokens, state, location)


def _symbol(tokens: Tokens, state: State) -> None:
    tokens.next()
    token = tokens.name("the name of a symbolic register")
    tokens.expect("=")
    if token.text in state.symbols:
        tokens.fail("each symbolic register once", token=token)
    state.symbols[token.text] = read_value(tokens, state)


def _values(tokens: Tokens, state: State, location: Location) -> None:
    if not tokens.accept("{"):
        location.values.append(read_value(tokens, state))
        return
    tokens.separated(lambda: location.values.append(read_value(tokens, state)), ",", "}")
    brace = tokens.expect("}")
    if location.count == 1:
        location.count = max(len(location.values), 1)
    if len(location.values) > location.count:
        tokens.fail(f"at most {location.count} values for {location.name}", token=brace)
