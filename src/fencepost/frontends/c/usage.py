"""What a program makes use of, seen in its text before anything is translated. What it does without costs nothing."""

from __future__ import annotations

import re

from fencepost.frontends.c.llvm.module import Module

AT_EXIT, AT_THREAD_EXIT = "fencepost.at_exit", "fencepost.at_thread_exit"
REGISTERS = {AT_EXIT: ("atexit", "__cxa_atexit"), AT_THREAD_EXIT: ("__cxa_thread_atexit", "__cxa_thread_atexit_impl")}
_WITH_DESTRUCTOR = re.compile(r"@(?:pthread_key_create|tss_create)\(.*, (?:ptr|void \(i8\*\)\*) (?:noundef )?(?!null)")
_SETS_KIND = re.compile(r"@(pthread_mutexattr_settype|mtx_init)\(.*, i32 (?:noundef )?(\S+)\)")
_STATIC_KIND = re.compile(r"__pthread_mutex_s \{ i32 0, i32 0, i32 0, i32 0, i32 [1-9]")


def registers(module: Module, name: str) -> bool:
    """Whether the program registers anything in this list."""
    return any(f in module.functions for f in REGISTERS[name])


def has_destructors(module: Module) -> bool:
    """Whether some thread-specific data has a destructor."""
    known = any(f in module.functions for f in ("pthread_key_create", "tss_create"))
    lines = (line for f in module.functions.values() for line in f.lines or ()) if known else ()
    return any(_WITH_DESTRUCTOR.search(line) for line in lines)


def mutex_kinds(module: Module) -> bool:
    """Whether a mutex may be recursive or error-checking: then each operation must look, which costs a read."""
    for f in module.functions.values():
        if f.name == "_ZNSt3__115recursive_mutexC1Ev":
            return True
        for line in f.lines or ():
            if (found := _SETS_KIND.search(line)) and found.group(2) not in (("0",), ("0", "2"))["mtx" in line]:
                return True
    return any(_STATIC_KIND.search(line) for line in module.global_lines.values())
