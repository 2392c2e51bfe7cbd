"""Tests in the .fp language: the same cycles, for every analysis that takes programs rather than litmus tests."""

from __future__ import annotations

from typing import ClassVar

from fencepost.generate.cycles import Cycle, Event
from fencepost.generate.edges import Edge
from fencepost.generate.emit import Column, Emitter


class Pseudo(Emitter):
    header = "fp"
    _MODE: ClassVar[dict[str, str]] = {
        "": "", "Rlx": "", "Na": ".na", "Acq": ".acq", "Rel": ".rel", "Sc": ".sc",
    }  # fmt: skip

    def register(self, number: int) -> str:
        return f"r{number}"

    def control(self, c: Column, source: str) -> None:
        c.lines.append(f"if ({source} | 1) != 0 {{")
        c.labels += 1

    def after(self, c: Column) -> None:
        c.lines += ["}"] * c.labels

    def _operands(self, event: Event, entering: Edge | None, source: str) -> tuple[str, str]:
        kind = entering.kind if entering is not None else ""
        place = f"[&{event.location} + ({source} ^ {source})]" if kind == "Addr" else event.location
        value = f"({source} ^ {source}) + {event.value}" if kind == "Data" else str(event.value)
        return place + self._MODE[event.annotation], value

    def access(self, c: Column, event: Event, entering: Edge | None, source: str) -> str:
        place, value = self._operands(event, entering, source)
        if event.direction == "W":
            c.lines.append(f"{place} := {value}")
            return ""
        register = self.fresh(c)
        c.lines.append(f"{register} := {place}")
        return register

    def exchange(self, c: Column, read: Event, write: Event, entering: Edge | None, source: str) -> str:
        place, _ = self._operands(read, entering, source)
        _, value = self._operands(write, entering, source)
        mode = {(False, False): "", (True, False): ".acq", (False, True): ".rel", (True, True): ".acq_rel"}[
            read.annotation in ("Acq", "Sc"), write.annotation in ("Rel", "Sc")
        ]
        if "Sc" in (read.annotation, write.annotation):
            mode = ".sc"
        register = self.fresh(c)
        c.lines.append(f"{register} := XCHG({place.removesuffix(self._MODE[read.annotation])}{mode}, {value})")
        return register

    def test(self, cycle: Cycle, name: str) -> str:
        columns = self.columns(cycle)
        locations = ", ".join(sorted({e.location for e in cycle.events}))
        threads = "\n".join(self._thread(i, c) for i, c in enumerate(columns))
        return f"// {name}: {cycle.text}\nvar {locations}\n\n{threads}\nexists ({self.question(cycle, columns)})\n"

    def question(self, cycle: Cycle, columns: list[Column]) -> str:
        locations = sorted({e.location for e in cycle.events})
        parts = [f"{x} == {max(w.value for w in cycle.writes(x))}" for x in locations if len(cycle.writes(x)) > 1]
        parts += [f"P{i}:{register} == {value}" for i, c in enumerate(columns) for register, value in c.reads]
        return " && ".join(parts) or "true"

    def _thread(self, number: int, c: Column) -> str:
        depth, text = 1, f"thread P{number} {{\n"
        for line in c.lines:
            depth -= line == "}"
            text += "  " * depth + line + "\n"
            depth += line.endswith("{")
        return text + "}\n"
