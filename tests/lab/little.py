"""A little language of its own: random programs that are written out as `.fp` and as C11, and run by machines.

Nothing here is shared with the checker: no `Program`, no passes, no models. What the checker says of the text is held
against what `machines.py` finds for the same statements."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

LOCATIONS = "xyz"
MODES = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
_FP = {"relaxed": ".rlx", "acquire": ".acq", "release": ".rel", "acq_rel": ".acq_rel", "seq_cst": ".sc"}


@dataclass(frozen=True, slots=True)
class Statement:
    """`kind`: load, store, add, exchange, cas, fence, if. `register`: what it writes, or what `if` looks at. A value is
    `value`, plus the register `added` where there is one. `body`: what `if` guards."""

    kind: str
    register: str = ""
    location: str = ""
    value: int = 0
    added: str = ""
    expected: int = 0
    mode: str = "relaxed"
    body: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Little:
    threads: tuple[tuple[Statement, ...], ...]

    @property
    def locations(self) -> tuple[str, ...]:
        return tuple(x for x in LOCATIONS if any(s.location == x for s in self.statements()))

    def statements(self) -> list[Statement]:
        return [s for thread in self.threads for s in flat(thread)]

    def registers(self) -> list[tuple[int, str]]:
        return [(t, s.register) for t, thread in enumerate(self.threads) for s in flat(thread) if writes_register(s)]


def flat(code: tuple[Statement, ...]) -> list[Statement]:
    return [s for outer in code for s in (outer, *flat(outer.body))]


def writes_register(s: Statement) -> bool:
    return s.kind in ("load", "add", "exchange", "cas")


@dataclass(frozen=True, slots=True)
class Flavour:
    """Which modes loads, stores and updates may have, and which fences there are."""

    loads: tuple[str, ...]
    stores: tuple[str, ...]
    updates: tuple[str, ...]
    fences: tuple[str, ...]


PLAIN = Flavour(("relaxed",), ("relaxed",), ("seq_cst",), ("seq_cst",))
ORDERED = Flavour(("acquire",), ("release",), ("acq_rel",), ())
WEAK = Flavour(("relaxed", "acquire"), ("relaxed", "release"), MODES[:4], ("acquire", "release", "acq_rel"))


class _Maker:
    def __init__(self, random: Random, flavour: Flavour, locations: str) -> None:
        self.random, self.flavour, self.locations = random, flavour, locations
        self.known: list[str] = []
        self.number = 0

    def register(self) -> str:
        self.number += 1
        return f"r{self.number}"

    def code(self, size: int, depth: int = 0) -> tuple[Statement, ...]:
        made: list[Statement] = []
        while size > 0:
            if depth < 1 and self.known and size > 1 and self.random.random() < 0.2:
                inner = self.random.randint(1, size - 1)
                looked = self.random.choice(self.known)
                before = list(self.known)
                body = self.code(inner, depth + 1)
                self.known = before
                made.append(Statement("if", looked, value=self.random.randint(0, 2), body=body))
                size -= inner + 1
                continue
            made.append(self.simple())
            size -= 1
        return tuple(made)

    def simple(self) -> Statement:
        r, f, place = self.random, self.flavour, self.random.choice(self.locations)
        kind = r.choices(("load", "store", "add", "exchange", "cas", "fence"), (8, 8, 2, 2, 3, 2 if f.fences else 0))[0]
        if kind == "fence":
            return Statement("fence", mode=r.choice(f.fences))
        value, added = r.randint(0, 2), r.choice(self.known) if self.known and r.random() < 0.3 else ""
        if kind == "store":
            return Statement("store", location=place, value=value, added=added, mode=r.choice(f.stores))
        name = self.register()
        if kind == "load":
            made = Statement("load", name, place, mode=r.choice(f.loads))
        elif kind == "cas":
            made = Statement("cas", name, place, value, added, r.randint(0, 2), r.choice(f.updates))
        else:
            made = Statement(kind, name, place, value, added, mode=r.choice(f.updates))
        self.known.append(name)
        return made


def little(seed: int, flavour: Flavour, *, size: int = 7, threads: int = 3) -> Little:
    random = Random(seed)
    locations = LOCATIONS[: random.randint(1, 3)]
    count = random.randint(2, threads)
    shares = [1] * count
    for _ in range(random.randint(count, size) - count):
        shares[random.randrange(count)] += 1
    return Little(tuple(_Maker(random, flavour, locations).code(share) for share in shares))


# --- as text


def _value(s: Statement) -> str:
    return f"{s.added} + {s.value}" if s.added else str(s.value)


def to_fp(program: Little) -> str:
    lines = ["var " + ", ".join(program.locations)] if program.locations else []
    for t, code in enumerate(program.threads):
        lines += [f"thread T{t} {{", *(f"  {line}" for s in code for line in _fp(s)), "}"]
    return "\n".join(lines) + "\n"


def _fp(s: Statement) -> list[str]:
    mode = _FP[s.mode]
    place = f"{s.location}{mode}"
    match s.kind:
        case "load":
            return [f"{s.register} := {place}"]
        case "store":
            return [f"{place} := {_value(s)}"]
        case "add":
            return [f"{s.register} := FADD({place}, {_value(s)})"]
        case "exchange":
            return [f"{s.register} := XCHG({place}, {_value(s)})"]
        case "cas":
            return [f"{s.register} := CAS({place}, {s.expected}, {_value(s)})"]
        case "fence":
            return [f"fence{mode}"]
    return [f"if {s.register} == {s.value} {{", *(f"  {line}" for inner in s.body for line in _fp(inner)), "}"]


_HEAD = "#include <pthread.h>\n#include <stdatomic.h>\n"


def to_c(program: Little) -> str:
    """Each register is a global of its own, written once by its thread at its end: `T0_r1`."""
    lines = [f"atomic_int {x};" for x in program.locations]
    lines += [f"int T{t}_{name};" for t, name in program.registers()]
    for t, code in enumerate(program.threads):
        mine = [name for owner, name in program.registers() if owner == t]
        lines += [f"static void *thread{t}(void *arg) {{", *(f"  int {name} = 0;" for name in mine)]
        lines += [f"  {line}" for s in code for line in _c(s)]
        lines += [*(f"  T{t}_{name} = {name};" for name in mine), "  return 0;", "}"]
    count = len(program.threads)
    lines += ["int main(void) {", f"  pthread_t t[{count}];"]
    lines += [f"  pthread_create(&t[{t}], 0, thread{t}, 0);" for t in range(count)]
    return _HEAD + "\n".join([*lines, *(f"  pthread_join(t[{t}], 0);" for t in range(count)), "}"]) + "\n"


def _c(s: Statement) -> list[str]:
    order = f"memory_order_{s.mode}"
    match s.kind:
        case "load":
            return [f"{s.register} = atomic_load_explicit(&{s.location}, {order});"]
        case "store":
            return [f"atomic_store_explicit(&{s.location}, {_value(s)}, {order});"]
        case "add":
            return [f"{s.register} = atomic_fetch_add_explicit(&{s.location}, {_value(s)}, {order});"]
        case "exchange":
            return [f"{s.register} = atomic_exchange_explicit(&{s.location}, {_value(s)}, {order});"]
        case "cas":
            failed = {"release": "relaxed", "acq_rel": "acquire"}.get(s.mode, s.mode)
            call = f"atomic_compare_exchange_strong_explicit(&{s.location}, &{s.register}"
            return [f"{s.register} = {s.expected};", f"{call}, {_value(s)}, {order}, memory_order_{failed});"]
        case "fence":
            return [f"atomic_thread_fence({order});"]
    return [f"if ({s.register} == {s.value}) {{", *(f"  {line}" for inner in s.body for line in _c(inner)), "}"]
