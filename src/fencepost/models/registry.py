"""Which models there are, and how to get one by its name or by the path of a `.cat` file."""

from __future__ import annotations

import re
from enum import Enum
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from fencepost import paths
from fencepost.errors import InputError, UnsupportedError, UsageError
from fencepost.execution.execution import Execution
from fencepost.program.condition import FinalMemory, comparisons
from fencepost.program.instructions import KERNEL_FENCES, Cas, Rmw, Tag
from fencepost.program.program import Arch, Program
from fencepost.program.texts import decode
from fencepost.records import dataclass, replace

if TYPE_CHECKING:  # the cat language is read only when a model is: most runs never do
    from pathlib import Path

    from fencepost.models.cat.base import Structure
    from fencepost.models.cat.judge import Judgement, Prepared
    from fencepost.models.cat.plan import Plan

DIRECTORY = paths.above(__file__)


#: Behind a model's name: it judges a test whatever machine that was written for.
FORCED = "forced"
#: The variant of a model that takes an atomic block for the pieces of one access (program/passes/split.py).
MIXED = "mixed"


class ModelKind(Enum):
    """What the accesses of a program should look like: C11 modes, what hardware executes, or the primitives of the
    Linux kernel. SC takes the first two."""

    ANY = "any"
    C11 = "c11"
    HARDWARE = "hardware"
    KERNEL = "kernel"


@dataclass(frozen=True)
class Model:
    """`architecture` is what a C11 program is mapped to before this model may judge it; None: judged as it is."""

    name: str
    file: str
    source: str
    kind: ModelKind
    architecture: Arch | None = None
    description: str = ""
    variants: frozenset[str] = frozenset()
    others: frozenset[Arch] = frozenset()  # further architectures whose litmus tests have the events that it knows

    @property
    def ours(self) -> bool:
        """Whether it came with us: a user's file may have the same name."""
        return paths.above(self.file) == DIRECTORY

    @property
    def path(self) -> Path:
        from pathlib import Path

        return Path(self.file)

    @property
    def mapped_like(self) -> str:
        """The name of the model whose compilation scheme C11 programs take for this one."""
        if self.ours:
            return self.name
        return {
            Arch.X86: "tso", Arch.PPC: "power", Arch.AARCH64: "armv8", Arch.RISCV: "riscv", Arch.LKMM: "lkmm",
        }.get(self.architecture or Arch.C11, "rc11")  # fmt: skip

    @cached_property
    def offers(self) -> frozenset[str]:
        """The variants that its own file asks about: `if "mixed" then ... else ...`."""
        return frozenset(re.findall(r'\bif\s+"([^"]+)"', self.source))

    def variant(self, name: str) -> Model:
        """The model in this variant."""
        return _variant(self, name)

    @cached_property
    def prepared(self) -> Prepared:
        """The model, read with its includes and checked. Raises InputError where it is malformed."""
        from fencepost.models.cat.judge import prepare

        return prepare(self.source, self.file, self.variants)

    @cached_property
    def plan(self) -> Plan | None:
        """The model as a flat list of operations; None for the few models that cannot be one."""
        plan, _ = self._compiled
        return plan

    @property
    def why_no_plan(self) -> str:
        """What stands in the way of a plan, and where; empty where there is one."""
        _, reason = self._compiled
        return reason

    @cached_property
    def _compiled(self) -> tuple[Plan | None, str]:
        from fencepost.models.cat.compile import NoPlanError, compile_plan

        try:
            return compile_plan(self.prepared), ""
        except NoPlanError as error:
            return None, str(error)

    def refuse_foreign(self, program: Program) -> None:
        """Raises UnsupportedError for a program written for an architecture whose accesses this model does not know,
        and for a question about final memory where the model orders no writes."""
        self._refuse_final_memory(program)
        if program.arch is Arch.LKMM or (program.arch is Arch.C11 and _is_kernels(program)):
            self._refuse_kernel(program)
            return
        if program.arch in (Arch.C11, Arch.FP):
            self._refuse_unmapped(program)
            self._refuse_single_events(program)
            return
        arch = _SAME_EVENTS.get(program.arch, program.arch)
        known = {self.architecture, *self.others}
        if self.kind is ModelKind.ANY or arch in known or program.arch in known:
            return
        judged = self.architecture.value if self.architecture else "C11 programs"
        raise UnsupportedError(
            f"{program.name} is written for {program.arch.value}; the model {self.name} judges {judged} "
            f"(--model {self.name if self.ours else self.file}@{FORCED}: try it nonetheless)"
        )

    def _refuse_unmapped(self, program: Program) -> None:
        """Nobody has written down how C11's accesses are compiled for some machines."""
        if self.architecture in _NOT_MAPPED:
            raise UnsupportedError(
                f"{program.name} is a C11 program, and no mapping of C11 to {self.architecture.value} is known here: "
                f"the model {self.name} judges litmus tests of {self.architecture.value}"
            )

    def _refuse_single_events(self, program: Program) -> None:
        """A file for C11 that names the set `RMW` and not the relation `rmw` relates such an event to itself: it may
        deny what it means to allow."""
        words = set(re.findall(r"\w+", self.source))
        if self.ours or self.kind is not ModelKind.C11 or "RMW" not in words or "rmw" in words:
            return
        if any(isinstance(i, Rmw | Cas) for f in program.functions for i in f.code):
            raise UnsupportedError(
                f"{self.name} takes a read-modify-write for one event of R and W (RMW); here it is two, related by rmw"
            )

    def _refuse_kernel(self, program: Program) -> None:
        """Critical sections and grace periods mean nothing to a model that does not name them."""
        if self.kind is not ModelKind.KERNEL and (self.ours or self.kind is not ModelKind.ANY):
            raise UnsupportedError(
                f"{program.name} uses primitives of the Linux kernel, which {self.name} lacks: use lkmm"
            )

    def _refuse_final_memory(self, program: Program) -> None:
        """A question about what memory holds in the end is one about the last write."""
        if program.condition is None:
            return
        asked = [program.condition.formula, *([program.condition.filter] if program.condition.filter else [])]
        named = {n for f in asked for c in comparisons(f) for n in (c.left, c.right) if isinstance(n, str)}
        self._refuse_last_writes(named & _memory(program))

    def refuse_final_states(self, program: Program) -> None:
        """Raises UnsupportedError where the final states of the program have memory in them and the model does not say
        what it holds."""
        self._refuse_last_writes(_memory(program))

    def _refuse_last_writes(self, places: set[str]) -> None:
        """Without an order of the writes, a model does not say which of them is the last."""
        if places and not self.orders_writes:
            raise UnsupportedError(
                f"the model {self.name} has no order of writes, so it does not say what {min(places)} holds in the "
                f"end; ask about registers, or use rc11"
            )

    @cached_property
    def orders_writes(self) -> bool:
        """Whether anything that it checks looks at coherence: if not, an execution is its events and rf."""
        if self.ours:
            return self.name not in _WITHOUT_COHERENCE
        from fencepost.models.cat.mentioned import primitives

        return "co" in primitives(self.prepared)

    def judge(self, execution: Execution, *, all_violations: bool = True) -> Judgement:
        from fencepost.models.cat.judge import judge

        return judge(self.prepared, execution, all_violations=all_violations)

    def judge_structure(self, structure: Structure) -> Judgement:
        """The same on primitives at hand."""
        from fencepost.models.cat.judge import judge_structure

        return judge_structure(self.prepared, structure)


def _memory(program: Program) -> set[str]:
    """The names of what is observed of memory at the end."""
    return {o.name for o in program.observations if isinstance(o.what, FinalMemory)}


def _is_kernels(program: Program) -> bool:
    """Whether a C program has fences or accesses that only the Linux kernel's model knows."""
    return any(
        getattr(i, "kind", None) in KERNEL_FENCES or getattr(i, "tag", Tag.NONE) not in (Tag.NONE, Tag.NORETURN)
        for f in program.functions
        for i in f.code
    )


@lru_cache(maxsize=64)
def _variant(model: Model, name: str) -> Model:
    return replace(model, variants=model.variants | {name})


@lru_cache(maxsize=64)
def _forced(model: Model) -> Model:
    return replace(model, kind=ModelKind.ANY, architecture=None)


_OURS: dict[str, tuple[ModelKind, Arch | None, str]] = {
    "sc": (ModelKind.ANY, None, "sequential consistency"),
    "tso": (ModelKind.HARDWARE, Arch.X86, "total store order: x86 and SPARC"),
    "pso": (ModelKind.HARDWARE, Arch.X86, "partial store order: a store buffer per location"),
    "ra": (ModelKind.C11, None, "release/acquire: every atomic access releases or acquires"),
    "sra": (ModelKind.C11, None, "strong release/acquire: one order of writes agrees with happens-before"),
    "rc11": (ModelKind.C11, None, "repaired C11, with the release sequences of C11"),
    "rc11-cpp20": (ModelKind.C11, None, "repaired C11, with the release sequences of C++20"),
    "wrc11": (ModelKind.C11, None, "RC11 without a modification order"),
    "imm": (ModelKind.C11, None, "the intermediate model between C11 and hardware: no thin-air values, LB allowed"),
    "power": (ModelKind.HARDWARE, Arch.PPC, "IBM POWER (Herding Cats)"),
    "armv7": (ModelKind.HARDWARE, Arch.AARCH64, "ARM before version 8 (Herding Cats)"),
    "armv8": (ModelKind.HARDWARE, Arch.AARCH64, "ARMv8 as it is today, multi-copy atomic"),
    "armv8-2018": (ModelKind.HARDWARE, Arch.AARCH64, "ARMv8 as it was described in 2018"),
    "riscv": (ModelKind.HARDWARE, Arch.RISCV, "RISC-V's RVWMO"),
    "lkmm": (ModelKind.KERNEL, Arch.LKMM, "the Linux kernel's memory model"),
}


#: Models of machines for which nobody compiles C11 here: they judge litmus tests.
_OF_LITMUS_TESTS: dict[str, tuple[ModelKind, Arch | None, str]] = {
    "mips": (ModelKind.HARDWARE, Arch.MIPS, "MIPS, with a store buffer per location; litmus tests only"),
    "bpf": (ModelKind.HARDWARE, Arch.BPF, "eBPF, as the Linux kernel runs it; litmus tests only"),
}

_KNOWN = _OURS | _OF_LITMUS_TESTS

#: ARM of 32 bits has the fences and accesses of AArch64.
_SAME_EVENTS = {Arch.ARM: Arch.AARCH64}
_NOT_MAPPED = (Arch.MIPS, Arch.BPF)
_WITHOUT_COHERENCE = frozenset({"wrc11"})


def names() -> tuple[str, ...]:
    """The models that come with us and judge programs."""
    return tuple(_OURS)


def all_names() -> tuple[str, ...]:
    """The models that come with us, those included that judge litmus tests of one machine only."""
    return tuple(_KNOWN)


def find(name_or_path: str | Path, variants: frozenset[str] = frozenset()) -> Model:
    """A model by its name (`rc11`) or the path of a `.cat` file; `@` and names of variants may follow, as in
    `armv8@mixed`. Reading is lazy: see `Model.prepared`."""
    text, at, asked = str(name_or_path).rpartition("@")
    if at and (text in _KNOWN or text.endswith(".cat")):
        chosen = frozenset(asked.split(",")) - {FORCED}
        _refuse_unknown_variants(find(text), chosen)
        found = find(text, variants | chosen)
        return _forced(found) if FORCED in asked.split(",") else found
    text = str(name_or_path)
    if text in _KNOWN:
        return _ours(text, variants)
    if paths.suffix(text) == ".cat" or paths.is_file(text):
        return _from_file(text, variants)
    hint = f"did you mean {close}? " if (close := _meant(text.lower())) else ""
    raise UsageError(f"unknown model '{text}': {hint}there are {', '.join(_KNOWN)}, or give the path of a .cat file")


#: Machines and languages under other names.
_ALSO = {
    "x86": "tso", "x86_64": "tso", "x86-tso": "tso", "amd64": "tso", "arm": "armv8", "arm64": "armv8",
    "aarch64": "armv8", "ppc": "power", "powerpc": "power", "risc-v": "riscv", "rvwmo": "riscv", "ebpf": "bpf",
    "c11": "rc11", "c++": "rc11", "cpp": "rc11", "c++11": "rc11", "c++20": "rc11-cpp20",
    "linux": "lkmm", "kernel": "lkmm", "linux-kernel": "lkmm",
}  # fmt: skip


def _meant(text: str) -> str:
    from difflib import get_close_matches

    return _ALSO.get(text) or next(iter(get_close_matches(text, _KNOWN, 1)), "")


def _refuse_unknown_variants(model: Model, chosen: frozenset[str]) -> None:
    from fencepost.models.cat.resolve import variants_of

    offers = variants_of(model.source, model.file)
    unknown = sorted(chosen - offers)
    if unknown:
        there = f"it has {', '.join(sorted(offers))}" if offers else "it has none"
        raise UsageError(f"the model {model.name} has no variant '{unknown[0]}': {there}")


@lru_cache(maxsize=64)
def _ours(name: str, variants: frozenset[str]) -> Model:
    kind, architecture, description = _KNOWN[name]
    file = f"{DIRECTORY}/{name}.cat"
    return Model(name, file, paths.content(file).decode(), kind, architecture, description, variants)


def _from_file(file: str, variants: frozenset[str]) -> Model:
    try:
        content = paths.content(file)
    except OSError as error:
        raise InputError(f"cannot read the model: {error.strerror}", file=file) from error
    return of_text(decode(content, file), file, variants)


def of_text(source: str, file: str, variants: frozenset[str] = frozenset()) -> Model:
    """A user's model whose text is at hand; what it includes is looked for beside `file`, and among ours. It is read at
    once: what it judges is known by what its checks look at."""
    from fencepost.models.cat.mentioned import vocabulary

    unknown = Model(paths.stem(file), file, source, ModelKind.ANY, None, "", variants)
    kind, architectures = judged_by(vocabulary(unknown.prepared), unknown.prepared.declared)
    first, others = (architectures[0], frozenset(architectures[1:])) if architectures else (None, frozenset())
    model = replace(unknown, kind=kind, architecture=first, others=others)
    model.__dict__["prepared"] = unknown.prepared  # where cached_property keeps it
    return model


#: What only events of one architecture are, by the names of the prelude. MIPS's fence has the name of POWER's.
_SYNC = frozenset({"SYNC", "sync"})
_MARKS: dict[Arch, frozenset[str]] = {
    Arch.PPC: frozenset({"LWSYNC", "ISYNC", "EIEIO", "lwsync", "isync", "eieio", "ctrlisync"}),
    Arch.X86: frozenset({"MFENCE", "SFENCE", "LFENCE", "mfence", "sfence", "lfence", "RMW-accesses"}),
    Arch.AARCH64: frozenset({"ISB", "isb", "ctrlisb", "dmb", "dsb", "L", "Q", "pick.addr", "pick.data", "pick.ctrl"}),
    Arch.RISCV: frozenset({"Acq", "Rel", "AcqRel", "ctrlfencei", "any-addr", "any-data", "any-ctrl"}),
    Arch.BPF: frozenset({"AQ-accesses", "RL-accesses"}),
}
_FENCE_MARKS = {"DMB": Arch.AARCH64, "DSB": Arch.AARCH64, "Fence": Arch.RISCV}  # and what follows a dot
_KERNEL_MARKS = frozenset({
    "Once", "Mb", "Rmb", "Wmb", "Barrier", "Before-atomic", "After-atomic", "After-spinlock", "After-unlock-lock",
    "Sync-rcu", "Rcu-lock", "Rcu-unlock", "Sync-srcu", "Srcu-lock", "Srcu-unlock", "rcu-rscs", "srcu-rscs", "Marked",
    "Plain",
})  # fmt: skip
_DECLARED = {
    "ppc": Arch.PPC, "x86": Arch.X86, "x86_64": Arch.X86, "aarch64": Arch.AARCH64, "arm": Arch.AARCH64,
    "aarch32": Arch.AARCH64, "riscv": Arch.RISCV, "mips": Arch.MIPS, "bpf": Arch.BPF,
}  # fmt: skip
_C11_MARKS = frozenset({"ACQ", "REL", "ACQ_REL", "RLX", "NA", "NAL", "SC", "CON", "ATOMIC"})


def judged_by(names: frozenset[str], declared: str = "") -> tuple[ModelKind, tuple[Arch, ...]]:
    """What a model judges that looks at these names: its kind, and the architectures whose tests have such events, the
    one first for which C11 programs are compiled. A model that names fences of several machines judges anything. What
    it declares to judge by its first word, as herd has it, goes before all that."""
    if (arch := _DECLARED.get(declared.lower())) is not None:
        return ModelKind.HARDWARE, (arch,)
    if names & _KERNEL_MARKS:
        return ModelKind.KERNEL, (Arch.LKMM,)
    found = {arch for arch, marks in _MARKS.items() if names & marks}
    found |= {arch for prefix, arch in _FENCE_MARKS.items() if any(n.partition(".")[0] == prefix for n in names)}
    if Arch.RISCV in found:  # whose orders models of BPF share
        found.discard(Arch.BPF)
    if len(found) > 1 or (names & _SYNC and found - {Arch.PPC}):
        return ModelKind.ANY, ()
    if found:
        return ModelKind.HARDWARE, tuple(found)
    if names & _SYNC:
        return ModelKind.HARDWARE, (Arch.PPC, Arch.MIPS)
    return (ModelKind.C11, ()) if names & _C11_MARKS else (ModelKind.ANY, ())
