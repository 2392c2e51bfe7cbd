"""The monitors in Promela: what a thread's read or write of location x does to them, one inline each per thread.

Figures 5 and 6 of the paper for release/acquire, and for SRA, where a write also follows its coherence predecessors.
For TSO the sets are those of ghb instead of hb; `native/states/monitor.hpp` has the argument. What precedes a thread's
next write (VW, and VX where no RMW may come between) is more than what precedes its next read (VR, VRX), whose own
writes may still be buffered; OWN is what the thread itself has overwritten. W and WX belong to the last write of a
location, M and MX also to the reads of it: they precede its next write. LAST is the thread that wrote last, plus one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fencepost.records import dataclass


@dataclass(frozen=True, slots=True)
class Rows:
    """The sets of a model: by thread and location, and by location and location."""

    threads: int
    cells: int
    monitored: tuple[int, ...]
    against: str

    def variables(self, row: str, value: str) -> Iterator[str]:
        yield f"{row} VSC[{self.threads}], MSC[{self.cells}], WSC[{self.cells}];"
        tso = self.against == "tso"
        of_threads = ("VR", "OWN", "VW", "VRX", "VX") if tso else ("V", "VX")
        of_locations = ("W", "WX", "M", "MX") if tso else ("W", "WX")
        yield f"{value} {', '.join(f'{n}[{self.threads * self.cells}]' for n in of_threads)};"
        yield f"{value} {', '.join(f'{n}[{self.cells * self.cells}]' for n in of_locations)};"
        if tso:
            yield f"byte LAST[{self.cells}];"

    def inlines(self, t: int) -> list[str]:
        read, write = self._tso(t) if self.against == "tso" else self._release_acquire(t)
        lines = [f"inline read_{t}(x) {{", f"  MSC[x] = MSC[x] | VSC[{t}]; VSC[{t}] = VSC[{t}] | WSC[x];"]
        lines += [*(f"  {s}" for s in read), "}", f"inline write_{t}(x, update) {{"]
        return [*lines, *(f"  {s}" for s in (*self._aware(t), *write) if s), "}", ""]

    def fence(self, t: int) -> str:
        """What a full fence does under TSO: the buffer is empty."""
        return self._each("{VR} = {VW}; {VRX} = {VX};", t)

    def reads(self, t: int, x: str) -> str:
        """The old values that the next read of x may take."""
        at = f"[{t * self.cells}+{x}]"
        return f"(VR{at} & OWN{at})" if self.against == "tso" else f"V{at}"

    def updates(self, t: int, x: str) -> str:
        """The old values behind which the next write of x may take its place."""
        return f"VX[{t * self.cells}+{x}]"

    # --- parts

    def _each(self, text: str, t: int) -> str:
        """The statements for each location y, with {V} for thread t's V at y and {W} for x's W at y."""
        return " ".join(text.format_map(_Names(t * self.cells, y)) for y in self.monitored)

    def _add(self, names: Iterable[str], rows: Iterable[int]) -> str:
        return " ".join(f"{n}[{r * self.cells}+(x)] = {n}[{r * self.cells}+(x)] | old;" for r in rows for n in names)

    def _aware(self, t: int) -> list[str]:
        """Who is aware of the last write: hbSC, the same for every model."""
        others = [p for p in range(self.threads) if p != t]
        lines = ["old = CLASS(x, mem[x]); assert(DOMAIN(x, mem[x]));", f"seen = VSC[{t}] | MSC[x];"]
        lines += [f"VSC[{p}] = VSC[{p}] & ~(1 << (x));" for p in others]
        lines += [f"{s}[{z}] = {s}[{z}] & ~(1 << (x));" for z in self.monitored for s in ("MSC", "WSC")]
        return [*lines, f"VSC[{t}] = seen; MSC[x] = seen; WSC[x] = seen;"]

    def _release_acquire(self, t: int) -> tuple[list[str], list[str]]:
        others = [p for p in range(self.threads) if p != t]
        meet, meet_x = self._each("{V} = {V} & {W};", t), self._each("{VX} = {VX} & {WX};", t)
        write = [f"if :: (update) -> {meet} :: else fi;"]
        write += [meet_x] if self.against == "sra" else [f"if :: (update) -> {meet_x} :: else fi;"]
        write += [f"V[{t * self.cells}+(x)] = 0; VX[{t * self.cells}+(x)] = 0;"]
        write += [self._add(("V",), others), self._add(("W",), self.monitored)]
        late = f"{self._add(('VX',), others)} {self._add(('WX',), self.monitored)}"
        write += [f"if :: (update) :: else -> {late} fi;" if late.strip() else ""]
        return [meet, meet_x], [*write, self._each("{W} = {V}; {WX} = {VX};", t)]

    def _tso(self, t: int) -> tuple[list[str], list[str]]:
        others = [p for p in range(self.threads) if p != t]
        from_others = self._each("{VR} = {VR} & {W}; {VRX} = {VRX} & {WX}; {VW} = {VW} & {W}; {VX} = {VX} & {WX};", t)
        read = [f"if :: (LAST[x] != {t + 1}) -> {from_others} :: else fi;"]
        read += [self._each("{M} = {M} & {VR}; {MX} = {MX} & {VRX};", t)]
        at = f"[{t * self.cells}+(x)]"
        write = [self._each("{VW} = {VW} & {M}; {VX} = {VX} & {MX};", t), f"VW{at} = 0; VX{at} = 0; OWN{at} = 0;"]
        write += [f"LAST[x] = {t + 1};", self._add(("VR", "VW", "OWN"), others), self._add(("W", "M"), self.monitored)]
        late = [
            self._add(("VRX", "VX"), others),
            self._add(("WX", "MX"), self.monitored),
            self._add(("VR", "VRX"), [t]),
        ]
        write += [f"if :: (update) -> {self.fence(t)} :: else -> {' '.join(late)} fi;"]
        return read, [*write, self._each("{W} = {VW}; {M} = {VW}; {WX} = {VX}; {MX} = {VX};", t)]


class _Names(dict[str, str]):
    """V.. and OWN are rows of the thread at `base`, the others rows of the location x; both at location y."""

    def __init__(self, base: int, y: int) -> None:
        self.base, self.y = base, y

    def __missing__(self, name: str) -> str:
        return f"{name}[{self.base + self.y}]" if name[0] in "VO" else f"{name}[(x)*L+{self.y}]"
