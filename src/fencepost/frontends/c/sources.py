"""Library functions that are source code: ours in `support/`, in C, and the sources of libc++ that the wheel of the
compiler brings along. Each is compiled when a program reaches something of it."""

from __future__ import annotations

import re
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from fencepost.frontends.c.compile import compile_library
from fencepost.records import dataclass

_FOLDER = Path(__file__).parent / "support"
_DEFINES = re.compile(r'NAMED\("([^"]+)"\)|(?:POINTERS|BUILTINS)\((\w+)|RAISES\("([^"]+)"')
_ERROR = re.compile(r"^ERROR\((\w+),", re.MULTILINE)  # a standard exception: its class, as it is mangled
_GNU, _LLVM = ("NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
               "NSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEE")  # fmt: skip
_ARGUMENTS = ("v", "PKc", "RKS_", f"RK{_GNU}", f"RK{_LLVM}")
_MEMBERS = ("D0Ev", "D1Ev", "D2Ev", *(f"C{n}E{a}" for n in (1, 2) for a in _ARGUMENTS))
#: The parts of libc++ that are taken as they are, by the names that they define.
_LIBCXX = {
    "future": ("17__assoc_sub_state", "7promiseIvE", "6futureIvE", "13shared_futureIvE", "12future_error",
               "15future_category"),
    "hash": ("12__next_prime",),
    "string": ("12basic_stringI[cw]", "plI", "9to_string", "10to_wstring", "[45]sto"),
    "algorithm": ("6__sort",),
    "memory": ("19__shared_weak_count", "14__shared_count", "12bad_weak_ptr"),
    "system_error": ("12system_error", "14error_category", "10error_code", "15error_condition", "15system_category",
                     "16generic_category", "20__throw_system_error"),
    "functional": ("17bad_function_call",),
    "mutex": ("11timed_mutex", "21recursive_timed_mutex"),
    "shared_mutex": ("18shared_timed_mutex",),
    "optional": ("19bad_optional_access",),
    "variant": ("18bad_variant_access",),
    "any": ("12bad_any_cast",),
}  # fmt: skip
_FORMS = [(re.compile(rf"_Z(T[ISV])?N?K?(St3__1|St)({'|'.join(names)})"), file) for file, names in _LIBCXX.items()]


@dataclass(frozen=True, slots=True)
class Source:
    path: Path
    libcxx: bool = False


@cache
def _ours() -> dict[str, Source]:
    """Every name that our own sources define."""
    found: dict[str, Source] = {}
    for path in sorted(_FOLDER.glob("*.c")):
        text = path.read_text()
        names = [name for three in _DEFINES.findall(text) for name in three if name]
        for error in _ERROR.findall(text):
            names += [f"_ZTI{error}", f"_ZTV{error}", f"_ZNK{error}4whatEv", *(f"_ZN{error}{m}" for m in _MEMBERS)]
        found |= dict.fromkeys(names, Source(path))
    return found


@cache
def source_of(name: str) -> Source | None:
    """What defines this function or global, where we have it in source."""
    if (found := _ours().get(name)) is not None or not name.startswith("_Z"):
        return found
    spec = find_spec("ziglang")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).with_name("lib") / "libcxx" / "src"
    return next((Source(folder / f"{file}.cpp", True) for form, file in _FORMS if form.match(name)), None)


@cache
def ir_of(source: Source) -> str:
    with tempfile.TemporaryDirectory(prefix="fencepost-") as folder:
        return compile_library(source.path, Path(folder) / "library.ll", libcxx=source.libcxx)
