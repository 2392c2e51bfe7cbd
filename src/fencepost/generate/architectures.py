"""How each architecture writes an access, a dependency, a read-modify-write."""

from __future__ import annotations

from typing import ClassVar

from fencepost.generate.cycles import Event
from fencepost.generate.edges import Edge
from fencepost.generate.emit import Column, Emitter


def _is(entering: Edge | None, kind: str) -> bool:
    return entering is not None and entering.kind == kind


class PPC(Emitter):
    header = "PPC"
    first_register = 1

    def register(self, number: int) -> str:
        return f"r{number}"

    def control(self, c: Column, source: str) -> None:
        label = self.label(c)
        c.lines += [f"cmpw {source},{source}", f"beq {label}", f"{label}:"]

    def _zero(self, c: Column, source: str) -> str:
        zero = self.fresh(c)
        c.lines.append(f"xor {zero},{source},{source}")
        return zero

    def _value(self, c: Column, event: Event, entering: Edge | None, source: str) -> str:
        if _is(entering, "Data"):
            value = self._zero(c, source)
            c.lines.append(f"addi {value},{value},{event.value}")
        else:
            value = self.fresh(c)
            c.lines.append(f"li {value},{event.value}")
        return value

    def access(self, c: Column, event: Event, entering: Edge | None, source: str) -> str:
        index = self._zero(c, source) if _is(entering, "Addr") else ""
        if event.direction == "R":
            value = self.fresh(c)
        else:
            value = self._value(c, event, entering, source)
        where = self.address(c, event.location)
        if event.annotation == "X":
            return self._exclusive(c, event, value, index or "r0", where)
        name = "lwz" if event.direction == "R" else "stw"
        c.lines.append(f"{name}x {value},{index},{where}" if index else f"{name} {value},0({where})")
        return value if event.direction == "R" else ""

    def _exclusive(self, c: Column, event: Event, value: str, index: str, where: str) -> str:
        """The pair, and a register that is 0 where it succeeded. A read writes back what it read."""
        failed, label = self.fresh(c), self.label(c)
        old = value if event.direction == "R" else self.fresh(c)
        c.lines += [f"li {failed},1", f"lwarx {old},{index},{where}", f"stwcx. {value},{index},{where}", f"bne {label}"]
        c.lines += [f"li {failed},0", f"{label}:"]
        c.reads.append((failed, 0))
        return value if event.direction == "R" else ""

    def exchange(self, c: Column, read: Event, write: Event, entering: Edge | None, source: str) -> str:
        index = self._zero(c, source) if _is(entering, "Addr") else "r0"
        value = self._value(c, write, entering, source)
        old, where = self.fresh(c), self.address(c, read.location)
        c.lines += [f"lwarx {old},{index},{where}", f"stwcx. {value},{index},{where}"]
        return old


class X86(Emitter):
    header = "X86"
    _REGISTERS = ("EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "EBP")

    def register(self, number: int) -> str:
        return self._REGISTERS[number] if number < len(self._REGISTERS) else f"R{number + 1}"

    def control(self, c: Column, source: str) -> None:
        label = self.label(c)
        c.lines += [f"CMP {source},{source}", f"JE {label}", f"{label}:"]

    def access(self, c: Column, event: Event, entering: Edge | None, source: str) -> str:
        if event.direction == "W":
            c.lines.append(f"MOV [{event.location}],${event.value}")
            return ""
        value = self.fresh(c)
        c.lines.append(f"MOV {value},[{event.location}]")
        return value

    def exchange(self, c: Column, read: Event, write: Event, entering: Edge | None, source: str) -> str:
        value = self.fresh(c)
        c.lines += [f"MOV {value},${write.value}", f"XCHG [{read.location}],{value}"]
        return value


class AArch64(Emitter):
    header = "AArch64"
    _LOAD: ClassVar[dict[str, str]] = {"": "LDR", "A": "LDAR", "Q": "LDAPR"}
    _STORE: ClassVar[dict[str, str]] = {"": "STR", "L": "STLR"}

    def register(self, number: int) -> str:
        return f"X{number}"

    @staticmethod
    def _w(register: str) -> str:
        return register.replace("X", "W")

    def control(self, c: Column, source: str) -> None:
        label = self.label(c)
        c.lines += [f"CBNZ {self._w(source)},{label}", f"{label}:"]

    def _zero(self, c: Column, source: str) -> str:
        zero = self.fresh(c)
        c.lines.append(f"EOR {self._w(zero)},{self._w(source)},{self._w(source)}")
        return zero

    def _value(self, c: Column, event: Event, entering: Edge | None, source: str) -> str:
        if _is(entering, "Data"):
            value = self._zero(c, source)
            c.lines.append(f"ADD {self._w(value)},{self._w(value)},#{event.value}")
        else:
            value = self.fresh(c)
            c.lines.append(f"MOV {self._w(value)},#{event.value}")
        return value

    def _place(self, c: Column, event: Event, index: str, indexed: bool) -> str:
        where = self.address(c, event.location)
        if not index:
            return f"[{where}]"
        if indexed:
            return f"[{where},{self._w(index)},SXTW]"
        moved = self.fresh(c)
        c.lines.append(f"ADD {moved},{where},{self._w(index)},SXTW")
        return f"[{moved}]"

    def access(self, c: Column, event: Event, entering: Edge | None, source: str) -> str:
        index = self._zero(c, source) if _is(entering, "Addr") else ""
        reading = event.direction == "R"
        value = self.fresh(c) if reading else self._value(c, event, entering, source)
        if event.annotation.startswith("X"):
            return self._exclusive(c, event, value, self._place(c, event, index, False))
        name = (self._LOAD if reading else self._STORE)[event.annotation]
        place = self._place(c, event, index, not event.annotation)
        c.lines.append(f"{name} {self._w(value)},{place}")
        return value if reading else ""

    def _exclusive(self, c: Column, event: Event, value: str, place: str) -> str:
        """The pair, and the register that is 0 where it succeeded. A read writes back what it read."""
        failed = self.fresh(c)
        old = value if event.direction == "R" else self.fresh(c)
        load, store = "LDAXR" if event.annotation == "XA" else "LDXR", "STLXR" if event.annotation == "XL" else "STXR"
        c.lines += [f"{load} {self._w(old)},{place}", f"{store} {self._w(failed)},{self._w(value)},{place}"]
        c.reads.append((failed, 0))
        return value if event.direction == "R" else ""

    def exchange(self, c: Column, read: Event, write: Event, entering: Edge | None, source: str) -> str:
        index = self._zero(c, source) if _is(entering, "Addr") else ""
        value = self._value(c, write, entering, source)
        old = self.fresh(c)
        order = ("A" if _is_annotated(read) else "") + ("L" if _is_annotated(write) else "")
        place = self._place(c, read, index, False)
        c.lines.append(f"SWP{order} {self._w(value)},{self._w(old)},{place}")
        return old


def _is_annotated(event: Event) -> bool:
    """An exchange is one instruction: that its half is exclusive says nothing."""
    return event.annotation not in ("", "X")


class RISCV(Emitter):
    header = "RISCV"
    first_register = 5
    _ORDER: ClassVar[dict[str, str]] = {"": "", "Aq": ".aq", "Rl": ".rl"}

    def register(self, number: int) -> str:
        return f"x{number}"

    def control(self, c: Column, source: str) -> None:
        label = self.label(c)
        c.lines += [f"bne {source},x0,{label}", f"{label}:"]

    def _zero(self, c: Column, source: str) -> str:
        zero = self.fresh(c)
        c.lines.append(f"xor {zero},{source},{source}")
        return zero

    def _value(self, c: Column, event: Event, entering: Edge | None, source: str) -> str:
        base = self._zero(c, source) if _is(entering, "Data") else "x0"
        value = self.fresh(c)
        c.lines.append(f"ori {value},{base},{event.value}")
        return value

    def _place(self, c: Column, event: Event, entering: Edge | None, source: str) -> str:
        where = self.address(c, event.location)
        if not _is(entering, "Addr"):
            return where
        zero = self._zero(c, source)
        moved = self.fresh(c)
        c.lines.append(f"add {moved},{where},{zero}")
        return moved

    def access(self, c: Column, event: Event, entering: Edge | None, source: str) -> str:
        reading = event.direction == "R"
        place = self._place(c, event, entering, source)
        value = self.fresh(c) if reading else self._value(c, event, entering, source)
        if event.annotation.startswith("X"):
            return self._exclusive(c, event, value, place)
        c.lines.append(f"{'lw' if reading else 'sw'}{self._ORDER[event.annotation]} {value},0({place})")
        return value if reading else ""

    def _exclusive(self, c: Column, event: Event, value: str, place: str) -> str:
        """The pair, and the register that is 0 where it succeeded. A read writes back what it read."""
        failed = self.fresh(c)
        old = value if event.direction == "R" else self.fresh(c)
        order = self._ORDER[event.annotation.removeprefix("X")]
        first, second = (order, "") if event.direction == "R" else ("", order)
        c.lines += [f"lr.w{first} {old},0({place})", f"sc.w{second} {failed},{value},0({place})"]
        c.reads.append((failed, 0))
        return value if event.direction == "R" else ""

    def exchange(self, c: Column, read: Event, write: Event, entering: Edge | None, source: str) -> str:
        place = self._place(c, read, entering, source)
        value = self._value(c, write, entering, source)
        old = self.fresh(c)
        order = "".join(self._ORDER[e.annotation.removeprefix("X")] for e in (read, write))
        c.lines.append(f"amoswap.w{order} {old},{value},({place})")
        return old


class C(Emitter):
    """Every access is relaxed unless it is annotated; dependencies are through arithmetic that a compiler could remove
    and the model does not."""

    header = "C"
    _ORDER: ClassVar[dict[str, str]] = {
        "": "relaxed",
        "Rlx": "relaxed",
        "Acq": "acquire",
        "Rel": "release",
        "Sc": "seq_cst",
    }
    _EXCHANGE: ClassVar[dict[tuple[bool, bool], str]] = {
        (False, False): "relaxed",
        (True, False): "acquire",
        (False, True): "release",
        (True, True): "acq_rel",
    }

    def register(self, number: int) -> str:
        return f"r{number}"

    def control(self, c: Column, source: str) -> None:
        c.lines.append(f"if ({source} | 1) {{")
        c.labels += 1

    def before(self, c: Column, entering: Edge | None, source: str) -> None:
        if entering is not None and entering.kind == "Fence":
            c.lines.append(f"atomic_thread_fence({self.vocabulary.fences[entering.fence]});")
        else:
            super().before(c, entering, source)

    def after(self, c: Column) -> None:
        c.lines += ["}"] * c.labels

    def _operands(self, c: Column, event: Event, entering: Edge | None, source: str) -> tuple[str, str]:
        c.addresses.setdefault(event.location, event.location)
        place = f"{event.location} + ({source} ^ {source})" if _is(entering, "Addr") else event.location
        value = f"({source} ^ {source}) + {event.value}" if _is(entering, "Data") else str(event.value)
        return place, value

    def access(self, c: Column, event: Event, entering: Edge | None, source: str) -> str:
        place, value = self._operands(c, event, entering, source)
        plain, order = event.annotation == "Na", f"memory_order_{self._ORDER.get(event.annotation, '')}"
        if event.direction == "W":
            c.lines.append(f"*({place}) = {value};" if plain else f"atomic_store_explicit({place}, {value}, {order});")
            return ""
        register = self.fresh(c)
        right = f"*({place})" if plain else f"atomic_load_explicit({place}, {order})"
        c.lines.append(f"{register} = {right};")
        return register

    def exchange(self, c: Column, read: Event, write: Event, entering: Edge | None, source: str) -> str:
        place, _ = self._operands(c, read, entering, source)
        _, value = self._operands(c, write, entering, source)
        order = self._EXCHANGE[read.annotation in ("Acq", "Sc"), write.annotation in ("Rel", "Sc")]
        if "Sc" in (read.annotation, write.annotation):
            order = "seq_cst"
        register = self.fresh(c)
        c.lines.append(f"{register} = atomic_exchange_explicit({place}, {value}, memory_order_{order});")
        return register

    def parameter(self, location: str) -> str:
        return f"atomic_int* {location}"

    def state(self, thread: int, c: Column) -> str:
        return ""

    def body(self, columns: list[Column]) -> str:
        return "".join(self._function(i, c) for i, c in enumerate(columns))

    def _function(self, thread: int, c: Column) -> str:
        parameters = ", ".join(map(self.parameter, c.addresses))
        lines = [*(f"int {self.register(i)};" for i in range(c.used)), *c.lines]  # herd declares one at a time
        depth, text = 1, f"P{thread} ({parameters}) {{\n"
        for line in lines:
            depth -= line == "}"
            text += "  " * depth + line + "\n"
            depth += line.endswith("{")
        return text + "}\n\n"
