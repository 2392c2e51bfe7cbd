"""Programs around a cycle: each thread accesses one location and then the next one, in a ring, and whether the round is
possible is what tells one axiom from another. Some threads have a single access, which serves both. Between two threads
a location is written and then read, read and then written, or written twice; orders, fences, updates and dependencies
are thrown in at random. Programs without such a plan come across few of these shapes."""

from __future__ import annotations

from random import Random

LOADS = ("rlx", "acq", "sc")
STORES = ("rlx", "rel", "sc")
UPDATES = ("rlx", "acq", "rel", "acq_rel", "sc")
FENCES = ("acq", "rel", "acq_rel", "sc")
#: From one thread to the next: what the first does, what the second does, and how often.
EDGES = {"rf": ("W", "R", 8), "fr": ("R", "W", 7), "co": ("W", "W", 5)}


def critical(seed: int) -> str:
    """A program in `.fp`."""
    random = Random(seed)
    count = random.choice((2, 2, 2, 2, 3, 3, 3, 4))
    maker = _Maker(random, count)
    short = maker.short(Random(-seed))
    names = list("xyzw"[:count])
    for n in short:
        names[n] = names[n - 1]
    threads = [maker.single(n, names[n]) if n in short else maker.thread(n, names[n - 1], names[n])
               for n in range(count)]  # fmt: skip
    names = sorted(set(names))
    seen = [f"P{n}:{r}" for n, (_, registers) in enumerate(threads) for r in registers]
    lines = [f"var {', '.join(names)}", "fn same(v) { return v * 0 }"]
    lines += [f"thread P{n} {{ {'; '.join(code)} }}" for n, (code, _) in enumerate(threads)]
    return "\n".join([*lines, f"observe {', '.join([*seen, *names])}"]) + "\n"


class _Maker:
    """`edges[n]` is what happens at the location between thread n and the next one, and with which orders."""

    def __init__(self, random: Random, count: int) -> None:
        self.random, self.value = random, 0
        kinds = random.choices(list(EDGES), [weight for _, _, weight in EDGES.values()], k=count)
        self.edges = [(kind, *self.orders(kind)) for kind in kinds]
        self.fence = random.choice(("", "", "", "", "sc", "sc", "sc", "any", "any"))

    def orders(self, kind: str) -> tuple[str, str]:
        plan = self.random.random()
        if plan < 0.35:
            return "rlx", "rlx"
        if plan < 0.65:
            return ("rel", "acq") if kind == "rf" else ("sc", "sc")
        if plan < 0.85:
            return "sc", "sc"
        modes = {"W": STORES, "R": LOADS}
        before, after, _ = EDGES[kind]
        return self.random.choice(modes[before]), self.random.choice(modes[after])

    def short(self, random: Random) -> set[int]:
        """Threads that may do with one access: what leads to them and what leads on want the same kind of it."""
        found: set[int] = set()
        for n in range(1, len(self.edges)):
            alike = EDGES[self.edges[n - 1][0]][1] == EDGES[self.edges[n][0]][0]
            if alike and n - 1 not in found and len(self.edges) > 2 + len(found) and random.random() < 0.4:
                found.add(n)
        return found

    def single(self, n: int, location: str) -> tuple[list[str], list[str]]:
        leaving, left, _ = self.edges[n]
        return self.access("a", location, EDGES[leaving][0], left, [])

    def thread(self, n: int, first: str, second: str) -> tuple[list[str], list[str]]:
        random = self.random
        (entering, _, entered), (leaving, left, _) = self.edges[n - 1], self.edges[n]
        code, registers = self.access("a", first, EDGES[entering][1], entered, [])
        if random.random() < 0.15:
            more, given = self.access("m", random.choice((first, second)), random.choice("RW"), "rlx", registers)
            code, registers = code + more, registers + given
        if self.fence and random.random() < 0.85:
            code.append(f"fence.{self.fence if self.fence != 'any' else random.choice(FENCES)}")
        more, given = self.access("b", second, EDGES[leaving][0], left, registers)
        if registers and not given and random.random() < 0.15:
            more = [f"if {registers[0]} == 0 {{ {'; '.join(more)} }}"]
        return code + more, registers + given

    def access(
        self, register: str, location: str, kind: str, mode: str, known: list[str]
    ) -> tuple[list[str], list[str]]:
        random = self.random
        update = random.random()
        if kind == "R" and update >= 0.12:
            return [f"{register} := {location}.{mode}"], [register]
        self.value += 1
        value, before = str(self.value), []
        if known and random.random() < 0.3:
            before = [f"t := same({known[-1]})"] if random.random() < 0.5 else [f"t := {known[-1]} * 0"]
            value = f"t + {value}"
        if update >= 0.12:
            return [*before, f"{location}.{mode} := {value}"], []
        if update >= 0.05:
            return [*before, f"{register} := XCHG({location}.{mode}, {value})"], [register]
        expected = random.randint(0, 1)
        return [*before, f"{register} := CAS({location}.{random.choice(UPDATES)}, {expected}, {value})"], [register]
