"""A function under construction: its registers, its temporaries, its instructions and its labels."""

from __future__ import annotations

from typing import Any

from fencepost.program.instructions import Instruction, Role, roles
from fencepost.program.operands import Reg
from fencepost.records import replace


class Code:
    """Labels are negative numbers until `finish` turns them into places. Temporaries live for one statement and are
    then used again: a dead register that keeps an old value would only split states that are equal."""

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self.registers: dict[str, int] = {}
        self._labels: list[int | None] = []
        self._temporaries = 0

    def register(self, name: str) -> Reg:
        return Reg(self.registers.setdefault(name, len(self.registers)))

    def temporary(self) -> Reg:
        name = f".{self._temporaries}"
        self._temporaries += 1
        return self.register(name)

    def lasting(self) -> Reg:
        """A register that no later statement uses again."""
        return self.register(f".kept{sum(name.startswith('.kept') for name in self.registers)}")

    def new_statement(self) -> None:
        self._temporaries = 0

    def emit(self, instruction: Instruction) -> None:
        self.instructions.append(instruction)

    def label(self) -> int:
        self._labels.append(None)
        return -len(self._labels)

    def place(self, label: int) -> None:
        self._labels[-label - 1] = len(self.instructions)

    def finish(self) -> tuple[Instruction, ...]:
        return tuple(self._resolved(i) for i in self.instructions)

    def _resolved(self, instruction: Instruction) -> Instruction:
        changes: dict[str, Any] = {}
        for f in roles(type(instruction)):
            if f.metadata["role"] is Role.TARGET:
                index = self._labels[-getattr(instruction, f.name) - 1]
                assert index is not None, "every label that is used should have been placed"
                changes[f.name] = index
        return replace(instruction, **changes) if changes else instruction
