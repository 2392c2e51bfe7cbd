"""Where in the source a step is best shown, and which operation of the thread library it belongs to.

The innermost line is not always the one a person wants: `static int get(atomic_int *a) { return atomic_load(a); }` says
nothing, the line that calls it does; and nobody reads the inside of `<atomic>`.
"""

from __future__ import annotations

from fencepost.program import instructions as ins
from fencepost.program.instructions import SyncOp
from fencepost.program.interpret import Frame
from fencepost.program.operands import Position, Reg
from fencepost.program.passes.flow import reachable
from fencepost.program.passes.unroll import LIBRARY_PREFIX
from fencepost.program.program import Function
from fencepost.records import dataclass

_OURS = "fencepost."  # functions that a front end adds around those of the program
_ACCESSES = (ins.Load, ins.Store, ins.StoreConditional, ins.Rmw, ins.Cas, ins.Await, ins.BlockingCas, ins.Fence,
             ins.Malloc, ins.Free, ins.Spawn, ins.Join, ins.Sync)  # fmt: skip
_LIBRARIES = ("/usr/include/", "/usr/lib/", "/usr/local/include/", "/include/c++/", "/lib/clang/", "/ziglang/lib/",
              "/fencepost/frontends/c/include/")  # fmt: skip
_OPERATIONS = frozenset(op.value for op in SyncOp)


def in_library(at: Position | None) -> bool:
    return at is not None and any(folder in at.file for folder in _LIBRARIES)


def foreign(at: Position | None) -> bool:
    """Whether something is not the program's own text: of a library, or nowhere, as what a front end adds."""
    return at is None or in_library(at)


def _wraps_one_access(function: Function) -> bool:
    """Whether a function is only another name for one access: then its call says more than its text."""
    accesses = [i for i in function.code if isinstance(i, _ACCESSES)]
    backward = any(isinstance(i, ins.Jump) and i.target <= n for n, i in enumerate(function.code))
    if len(accesses) != 1 or backward:
        return False
    calls = [n for n, i in enumerate(function.code) if isinstance(i, ins.Call)]
    if isinstance(accesses[0], ins.Malloc):  # what it calls where there is no memory left does not return
        calls = [n for n in calls if any(isinstance(function.code[m], ins.Return) for m in reachable(function, [n]))]
    return not calls


def written_at(frames: list[Frame], at: Position | None) -> Position | None:
    """The place in the program's own files: of what happens inside a library, the call into it."""
    for frame in reversed(frames[:-1]):
        if not in_library(at):
            return at
        at = _call(frame) or at
    return at


class Shown:
    """`Shown()(frames, at)`: the place to show for what the innermost frame does at `at`."""

    def __init__(self) -> None:
        self._wraps: dict[str, bool] = {}  # by the name of a function

    def __call__(self, frames: list[Frame], at: Position | None) -> Position | None:
        for callee, caller in zip(reversed(frames), reversed(frames[:-1]), strict=False):
            if not in_library(at) and not self._wrapper(callee.function):
                return at
            at = _call(caller) or at
        return at

    def _wrapper(self, function: Function) -> bool:
        if function.name not in self._wraps:
            self._wraps[function.name] = _wraps_one_access(function)
        return self._wraps[function.name]


@dataclass(frozen=True, slots=True)
class Called:
    """One call of a stack: the function, under its linked name, and where in it the thread stands."""

    function: str
    at: Position | None


def stack(frames: list[Frame], at: Position | None) -> tuple[Called, ...]:
    """The calls that a thread is in, innermost first, down to `main` or the thread's function."""
    places = [_call(f) for f in frames[:-1]] + [at]
    found = [
        c for f, place in reversed(list(zip(frames, places, strict=True))) for c in _inlined(f.function.name, place)
    ]
    return tuple(c for c in found if not c.function.startswith((_OURS, LIBRARY_PREFIX)))


def _inlined(function: str, at: Position | None) -> list[Called]:
    """The calls of one frame: those whose functions the compiler put in their place, and its own."""
    found: list[Called] = []
    while at is not None and at.within is not None:
        found.append(Called(at.function, at))
        at = at.within
    return [*found, Called(function, at)]


def _call(frame: Frame) -> Position | None:
    """The call that a frame waits in: it stands behind it already."""
    return frame.function.code[frame.pc - 1].at if frame.pc else None


def operation(frame: Frame) -> str:
    """`mutex_unlock`, `cond_wait`, ...: the operation of the thread library that the instruction at hand is a part of;
    empty for the program's own. Its registers tell: those of an operation put in place bear its name."""
    i = frame.function.code[frame.pc]
    if kernel := _kernel(frame):
        return kernel
    if isinstance(i, ins.BlockingCas) and i.lock:
        return SyncOp.MUTEX_LOCK.value
    address = getattr(i, "address", None)
    if not isinstance(address, Reg):
        return ""
    parts = frame.function.registers[address.index].split(".")[:-1]
    known = [name for p in parts if (name := p.removesuffix("_spurious").removesuffix("_kind")) in _OPERATIONS]
    return known[-1] if known else ""


#: Operations of the kernel: functions of our own, whose first parameter is the place that they are about.
_KERNEL = ("futex_wait", "futex_wake")


def _kernel(frame: Frame) -> str:
    name = frame.function.name
    return next((k for k in _KERNEL if name.startswith(f"{LIBRARY_PREFIX}{k}")), "")


def about(frame: Frame) -> int | None:
    """The place that an operation is about, where it is another one than its steps access: the word of a futex."""
    return frame.values[0] if _kernel(frame) else None
