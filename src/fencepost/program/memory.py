"""Registers and memory as one thread finds them: what its instructions read and write at once, without an event.

Memory that other threads can reach is an engine's business. Here are the registers, the memory that is private to a
thread, where new objects go, and the faults that an address alone shows.
"""

from __future__ import annotations

from fencepost.program import instructions as ins
from fencepost.program.actions import Frame, ThreadState
from fencepost.program.dependencies import NO_DEPS, Deps
from fencepost.program.instructions import ErrorKind
from fencepost.program.layout import (
    GAP,
    HEAP,
    NEAR_NULL,
    PRIVATE,
    REGION_MASK,
    STACK,
    THREAD_SHIFT,
    initial_bytes,
    lay_out,
)  # fmt: skip
from fencepost.program.operands import Operand, Reg, to_unsigned
from fencepost.program.program import Program
from fencepost.program.symbols import demangled
from fencepost.records import dataclass, field


@dataclass(slots=True)
class Made:
    """What is made at an address, on any path: how large at most, and by which instructions (function and number)."""

    size: int = 0
    places: set[tuple[str, int]] = field(default_factory=set)


class Memory:
    """Of one program. It has no state of its own: that is in the ThreadState."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.layout = lay_out(program)
        self.memory = initial_bytes(program, self.layout)
        self.local = initial_bytes(program, self.layout, thread_local=True)
        self.made: dict[int, Made] = {}  # by address: objects of stack and heap

    def initial(self, address: int, size: int) -> int:
        """The initial value of shared memory."""
        return sum(self.memory.get(address + i, 0) << (8 * i) for i in range(size))

    # --- registers

    def value(self, frame: Frame, operand: Operand) -> int:
        return frame.values[operand.index] if isinstance(operand, Reg) else self.layout.value(operand)

    def deps(self, frame: Frame, *operands: Operand | None) -> Deps:
        found = NO_DEPS
        for operand in operands:
            if isinstance(operand, Reg):
                found |= frame.deps[operand.index]
        return found

    def set(self, frame: Frame, register: Reg | None, value: int, deps: Deps) -> None:
        if register is not None:
            frame.values[register.index] = to_unsigned(value)
            frame.deps[register.index] = deps
            if frame.unset:
                frame.unset.pop(register.index, None)

    def unset(self, frame: Frame, operand: Operand | None) -> int:
        """The bits that nobody has written."""
        return frame.unset.get(operand.index, 0) if isinstance(operand, Reg) else 0

    def mark_unset(self, frame: Frame, register: Reg | None, bits: int) -> None:
        """Notes them of a register that was just set."""
        if register is not None and bits:
            frame.unset[register.index] = bits

    # --- new objects

    def alloca(self, state: ThreadState, frame: Frame, i: ins.Alloca) -> None:
        size = self.value(frame, i.size)
        address = self.allocate(state, PRIVATE if i.private else STACK, size, i.align)
        (state.private_objects if i.private else state.objects)[address] = size
        if not i.private:
            frame.objects += (address,)
        elif i.unset:
            state.unset |= dict.fromkeys(range(address, address + size), 0xFF)
        self.note(frame, address, size)
        self.set(frame, i.dst, address, NO_DEPS)

    def note(self, frame: Frame, address: int, size: int) -> None:
        """Remembers which instruction makes the object here."""
        made = self.made.setdefault(address, Made())
        made.size = max(made.size, size)
        made.places.add((frame.function.name, frame.pc))

    def own(
        self, state: ThreadState, frame: Frame, i: ins.Alloca | ins.Scope | ins.ThreadLocalAddress | ins.Self
    ) -> None:
        """What only the thread itself can notice."""
        match i:
            case ins.Alloca():
                self.alloca(state, frame, i)
            case ins.Scope():
                self.scope(state, frame, i)
            case ins.ThreadLocalAddress():
                base = self.layout.thread_locals[i.object]
                self.set(frame, i.dst, base | state.thread << THREAD_SHIFT, NO_DEPS)
            case ins.Self():
                self.set(frame, i.dst, state.thread, NO_DEPS)

    def scope(self, state: ThreadState, frame: Frame, i: ins.Scope) -> None:
        """Only the thread's own view changes: others may come to the variable as long as the call lasts."""
        address = self.value(frame, i.address)
        size = state.private_objects.get(address, state.objects.get(address, 0))
        if i.ends:
            state.over[address] = size
            return
        state.over.pop(address, None)
        if i.unset and address & REGION_MASK == PRIVATE:
            state.unset |= dict.fromkeys(range(address, address + size), 0xFF)

    @staticmethod
    def ended(state: ThreadState) -> tuple[int, ...]:
        """The private objects whose blocks have ended."""
        return tuple(sorted(a for a in state.over if a & REGION_MASK == PRIVATE))

    def allocate(self, state: ThreadState, region: int, size: int, align: int) -> int:
        start = -(-state.tops.get(region, GAP) // align) * align
        state.tops[region] = -(-(start + size) // GAP) * GAP + GAP
        return region | state.thread << THREAD_SHIFT | start

    def release_private(self, state: ThreadState, top: int) -> None:
        """Private memory of a call ends with it, so that iterations of a loop that calls can be compared."""
        if state.tops.get(PRIVATE, GAP) > top:
            state.tops[PRIVATE] = top
            end = PRIVATE | state.thread << THREAD_SHIFT | top
            state.private = {a: b for a, b in state.private.items() if a & REGION_MASK != PRIVATE or a < end}
            state.private_objects = {a: size for a, size in state.private_objects.items() if a < end}
            state.over = {a: size for a, size in state.over.items() if a & REGION_MASK != PRIVATE or a < end}
            state.unset = {a: b for a, b in state.unset.items() if a & REGION_MASK != PRIVATE or a < end}

    # --- accesses

    def fault(self, address: int, size: int, *, writes: bool) -> tuple[ErrorKind, str] | None:
        """Faults of accesses to global memory; heap and stack are the engine's to judge."""
        if address < NEAR_NULL:
            return ErrorKind.NULL, f"access to address {address:#x}"
        if address & REGION_MASK in (STACK, HEAP):
            return misaligned(address, size)
        found = self.layout.find(address)
        if found is None:
            return ErrorKind.OUT_OF_BOUNDS, f"access to address {address:#x}, outside every object"
        o, offset = found
        if offset + size > o.size:
            return (
                ErrorKind.OUT_OF_BOUNDS,
                f"access to bytes {offset}..{offset + size - 1} of {demangled(o.name)} ({o.size} bytes)",
            )
        if o.constant and writes:
            return ErrorKind.CONSTANT, f"write to {demangled(o.name)}, which is constant"
        return misaligned(address, size)

    def piece(self, state: ThreadState, address: int, size: int) -> tuple[int, int]:
        """The next piece of an access, from one cut to the next."""
        start, end = address + state.piece, address + size
        end = min((at for at in self.program.cuts if start < at < end), default=end)
        return start, end - start

    def last_piece(
        self, state: ThreadState, frame: Frame, i: ins.Load | ins.Store, size: int, value: int, event: Deps
    ) -> bool:
        """Notes a piece of an access; whether it was the last."""
        state.piece_value |= value << 8 * state.piece
        state.piece_deps |= event
        state.piece += size
        if state.piece < i.size:
            return False
        if isinstance(i, ins.Load):
            self.set(frame, i.dst, state.piece_value, state.piece_deps)
        state.piece, state.piece_value, state.piece_deps = 0, 0, NO_DEPS
        return True

    # --- private memory

    def private_read(self, state: ThreadState, address: int, size: int) -> tuple[int, Deps]:
        value, deps = 0, NO_DEPS
        for k in range(size):
            byte = state.private.get(address + k)
            if byte is None:
                byte = (self.private_initial(address + k), NO_DEPS)
            value |= byte[0] << (8 * k)
            deps |= byte[1]
        return value, deps

    def private_initial(self, address: int) -> int:
        """A byte that nobody has written: of thread-local memory what the program says, of the stack 0."""
        return self.local.get(address & ~(0xFFF << THREAD_SHIFT), 0)

    def private_write(
        self, state: ThreadState, address: int, size: int, value: int, deps: Deps, unset: int = 0
    ) -> None:
        for k in range(size):
            state.private[address + k] = (value >> (8 * k) & 0xFF, deps)
            if bits := unset >> (8 * k) & 0xFF:
                state.unset[address + k] = bits
            else:
                state.unset.pop(address + k, None)

    def unset_in_memory(self, state: ThreadState, address: int, size: int) -> int:
        if not state.unset:
            return 0
        return sum(state.unset.get(address + k, 0) << (8 * k) for k in range(size))


def misaligned(address: int, size: int) -> tuple[ErrorKind, str] | None:
    return (ErrorKind.MISALIGNED, f"access of {size} bytes at address {address:#x}") if address % size else None
