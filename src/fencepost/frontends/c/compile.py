"""From source files to one text of LLVM IR: the clang on PATH, or the one inside the `ziglang` wheel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex

from fencepost import cache as kept
from fencepost.errors import FencepostError, InputError, UsageError
from fencepost.frontends.c.included import INCLUDED, READ, read_files, shown_sources
from fencepost.frontends.c.sanitizers import FLAGS as SANITIZE
from fencepost.frontends.c.sanitizers import SCOPES
from fencepost.records import dataclass

OLDEST = 14
_KIND = "compiled"  # of what is kept
INCLUDE = Path(__file__).parent / "include"
#: Headers that programs for other checkers include. Those that the user names come first.
WORDS = INCLUDE / "words"
_CXX = frozenset({".cc", ".cpp", ".cxx"})
#: No optimisation: a dependency or a race that the source has must be in what we read. Names of values are kept.
_FLAGS = ("-O0", "-g", "-emit-llvm", "-fno-stack-protector", "-fno-discard-value-names", "-Wno-everything")
#: The standard, unless the flags of the user say otherwise. The macro is how libstdc++ is told to leave out a shortcut
#: of shared_ptr that looks at two counters with one access; the last one makes its semaphores POSIX ones.
_CXX_FLAGS = (
    "-std=gnu++20", "-D_GLIBCXX_TSAN=1", "-D_GLIBCXX_EXTERN_TEMPLATE=0", "-D_GLIBCXX_USE_POSIX_SEMAPHORE=1",
)  # fmt: skip
#: The wheel's compiler is told a machine, so that the result does not depend on where it runs.
_ZIG_FLAGS = ("-target", "x86_64-linux-gnu", "-fno-sanitize=all", "-Wno-unused-command-line-argument")


class CompileError(FencepostError):
    """What the compiler had to say, as it said it."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """How to call it for C and for C++, and what to add to every call."""

    name: str
    c: tuple[str, ...]
    cxx: tuple[str, ...]
    flags: tuple[str, ...]


@cache
def find_compiler() -> Compiler:
    """The one that FENCEPOST_CLANG names (`zig` is that of the wheel), or clang on PATH if it is new enough, or the one
    of the wheel."""
    wanted = os.environ.get("FENCEPOST_CLANG", "")
    clang = None if wanted == "zig" else shutil.which(wanted or "clang")
    if wanted not in ("", "zig") and clang is None:
        raise UsageError(f"FENCEPOST_CLANG names {wanted}, which is no program")
    if clang is not None and _version(clang) >= OLDEST:
        return Compiler(clang, (clang,), (clang, "--driver-mode=g++"), ())
    if (wheel := _wheel()) is not None:
        return wheel
    raise UsageError(f"no C compiler: put clang {OLDEST} or newer on PATH, or `pip install ziglang`")


def _wheel() -> Compiler | None:
    spec = find_spec("ziglang")
    if spec is None or spec.origin is None:
        return None
    zig = str(Path(spec.origin).with_name("zig"))
    return Compiler(zig, (zig, "cc"), (zig, "c++"), _ZIG_FLAGS)


def _version(clang: str) -> int:
    done = subprocess.run([clang, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"version (\d+)", done.stdout)
    return int(found.group(1)) if found else 0


@dataclass(frozen=True, slots=True)
class Compiled:
    """The IR of a whole program, the files that it was read from and that may be shown, and every file that an
    #include named."""

    text: str
    sources: tuple[str, ...]
    read: tuple[str, ...] = ()


def to_ir(paths: Sequence[Path], flags: Sequence[str]) -> Compiled:
    """The IR of the whole program. Several files are linked."""
    for path in paths:
        if not path.is_file():
            raise InputError("cannot be read: there is no such file", file=str(path))
        if sum(p.resolve() == path.resolve() for p in paths) > 1:
            raise UsageError(f"{path} is given twice")
    if len(paths) == 1 and paths[0].suffix == ".ll":
        return Compiled(paths[0].read_text("utf-8", "replace"), (str(paths[0]),))
    with tempfile.TemporaryDirectory(prefix="fencepost-") as folder:
        if len(paths) == 1 and paths[0].suffix != ".bc":
            text = _compile(paths[0], flags, Path(folder) / "program.ll").read_text("utf-8", "replace")
        else:
            text = _link({_module(p, flags, Path(folder) / f"{k}.bc"): p for k, p in enumerate(paths)})
        return Compiled(text, shown_sources(paths, flags, Path(folder)), read_files(Path(folder)))


def _module(path: Path, flags: Sequence[str], out: Path) -> Path:
    return path if path.suffix in (".ll", ".bc") else _compile(path, flags, out)


def _compile(path: Path, flags: Sequence[str], out: Path) -> Path:
    """Compiles, or takes what was compiled before of the same preprocessed text with the same flags in this folder."""
    compiler, all_flags = find_compiler(), (*SANITIZE, *SCOPES, *flags, "-H")
    if kept.folder() is None:
        return _call(compiler, path, all_flags, out)
    try:
        fresh = f"-D__fencepost_{token_hex(8)}"  # the wheel's compiler keeps results, and misses headers that are new
        text = _call(compiler, path, (*all_flags, fresh), out.with_suffix(".i")).read_text("utf-8", "replace")
    except CompileError:  # let the compiler say it as it always does
        return _call(compiler, path, all_flags, out)
    name = kept.key(kept.code(), compiler_identity(compiler), str(path), str(Path.cwd()), out.suffix, *all_flags, text)
    read = out.with_suffix(READ)
    if (known := kept.load(_KIND, name)) is not None:
        said, _, result = known.partition(b"\0")
        read.write_bytes(said)
        out.write_bytes(result)
        return out
    _call(compiler, path, all_flags, out)
    kept.save(_KIND, name, read.read_bytes().replace(b"\0", b"") + b"\0" + out.read_bytes())
    return out


def compiler_identity(compiler: Compiler) -> str:
    found = Path(compiler.name).stat()
    return f"{compiler} {found.st_size} {found.st_mtime_ns}"


def _call(compiler: Compiler, path: Path, flags: Sequence[str], out: Path) -> Path:
    command = compiler.cxx if path.suffix in _CXX else compiler.c
    language = _CXX_FLAGS if path.suffix in _CXX else ()
    kind = {".ll": "-S", ".i": "-E"}.get(out.suffix, "-c")
    call = [*command, *compiler.flags, *_FLAGS, *language, f"-I{INCLUDE}", kind, *flags, f"-I{WORDS}", str(path),
            "-o", str(out)]  # fmt: skip
    done = subprocess.run(call, capture_output=True, text=True, errors="replace", check=False)
    out.with_suffix(READ).write_text(done.stderr, "utf-8")
    if done.returncode or not out.is_file():
        raise CompileError(_complaint(done.stderr) or f"{compiler.name} failed on {path}")
    return out


def compile_library(path: Path, out: Path, *, libcxx: bool) -> str:
    """The IR of a library source: one of ours, or one of libc++ in the wheel."""
    flags = ("-std=gnu++23", "-D_LIBCPP_BUILDING_LIBRARY", "-DLIBCXX_BUILDING_LIBCXXABI", f"-I{path.parent}")
    compiler = _wheel() if libcxx else find_compiler()
    assert compiler is not None, "libc++'s sources come with the compiler"
    return _call(compiler, path, flags if libcxx else (), out).read_text("utf-8", "replace")


def _complaint(text: str) -> str:
    """The compiler's own words, without what its wrapper adds about itself."""
    said = (line for line in text.splitlines() if not INCLUDED.match(line))
    lines = [line for line in said if not line.startswith(("zig: warning", "clang: warning"))]
    return "\n".join(lines).strip()


_EACH_ALONE = "several files are one program; give each a line `// fencepost: model=... expect=...` to check them alone"
_DEFINED_TWICE = re.compile(r"Linking globals named '([^']*)': symbol multiply defined")


def _link(paths: Mapping[Path, Path]) -> str:
    """Links bitcode and IR files, each with the source that it comes from, to one module, and shows it as text."""
    from llvmlite import binding

    linked = None
    for path, source in paths.items():
        try:
            module = (
                binding.parse_assembly(path.read_text("utf-8", "replace"))
                if path.suffix == ".ll"
                else binding.parse_bitcode(path.read_bytes())
            )
            if linked is None:
                linked = module
            else:
                linked.link_in(module)
        except RuntimeError as problem:
            twice = _DEFINED_TWICE.search(str(problem))
            text = f"another file defines {twice[1]}, too" if twice else str(problem).strip()
            hint = _EACH_ALONE if twice and twice[1] == "main" else ""
            raise InputError(f"cannot be linked: {text}", file=str(source), hint=hint) from None
    return str(linked)
