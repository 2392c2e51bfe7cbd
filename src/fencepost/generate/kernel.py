"""Cycles in C with the primitives of the Linux kernel, as its litmus tests are written."""

from __future__ import annotations

from typing import ClassVar

from fencepost.generate.architectures import C
from fencepost.generate.cycles import Event
from fencepost.generate.edges import Edge
from fencepost.generate.emit import Column

#: Edges that put a whole thread into a critical section.
_SECTIONS = {"Rcu": ("rcu_read_lock();", "rcu_read_unlock();"), "Lock": ("spin_lock(s);", "spin_unlock(s);")}


class Kernel(C):
    """An access is marked `ONCE` unless it is annotated. Dependencies are through arithmetic that a compiler could
    remove and the model does not."""

    _EXCHANGES: ClassVar[dict[tuple[bool, bool], str]] = {
        (False, False): "xchg_relaxed",
        (True, False): "xchg_acquire",
        (False, True): "xchg_release",
        (True, True): "xchg",
    }

    def before(self, c: Column, entering: Edge | None, source: str) -> None:
        if entering is None or entering.kind != "Fence":
            super().before(c, entering, source)
        elif entering.fence not in _SECTIONS:
            c.lines.append(f"{self.vocabulary.fences[entering.fence]};")
        elif _SECTIONS[entering.fence][0] not in c.lines:
            c.lines.insert(0, _SECTIONS[entering.fence][0])
            if entering.fence == "Lock":
                c.addresses.setdefault("s", "s")

    def after(self, c: Column) -> None:
        super().after(c)
        opened = [close for begin, close in _SECTIONS.values() if begin in c.lines]
        c.lines += sorted(opened, key=lambda close: -c.lines.index(_opening(close)))[::-1]

    def access(self, c: Column, event: Event, entering: Edge | None, source: str) -> str:
        place, value = self._operands(c, event, entering, source)
        at = f"*{place}" if place == event.location else f"*({place})"
        if event.direction == "W":
            c.lines.append(self._store(event.annotation, place, at, value))
            return ""
        register = self.fresh(c)
        loads = {"Na": at, "Acq": f"smp_load_acquire({place})"}
        c.lines.append(f"{register} = {loads.get(event.annotation, f'READ_ONCE({at})')};")
        return register

    def _store(self, annotation: str, place: str, at: str, value: str) -> str:
        if annotation == "Na":
            return f"{at} = {value};"
        return f"smp_store_release({place}, {value});" if annotation == "Rel" else f"WRITE_ONCE({at}, {value});"

    def exchange(self, c: Column, read: Event, write: Event, entering: Edge | None, source: str) -> str:
        place, _ = self._operands(c, read, entering, source)
        _, value = self._operands(c, write, entering, source)
        name = self._EXCHANGES[read.annotation == "Acq", write.annotation == "Rel"]
        register = self.fresh(c)
        c.lines.append(f"{register} = {name}({place}, {value});")
        return register

    def parameter(self, location: str) -> str:
        return f"spinlock_t* {location}" if location == "s" else f"int* {location}"


def _opening(close: str) -> str:
    return next(begin for begin, end in _SECTIONS.values() if end == close)
