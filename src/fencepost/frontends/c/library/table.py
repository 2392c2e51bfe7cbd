"""Every function of the library that we know."""

from __future__ import annotations

from functools import cache

from fencepost.frontends.c.site import Handler


@cache
def library() -> dict[str, Handler]:
    """What stands for each function, by its linked name."""
    from fencepost.frontends.c.library import (
        compiler,
        cxx,
        endings,
        jumps,
        kernel,
        lkmm,
        math,
        memory,
        pthread,
        stdio,
        stdlib,
        strings,
        threads,
        verifier,
    )  # fmt: skip

    modules = (
        memory, strings, stdio, stdlib, math, pthread, threads, endings, jumps, verifier, cxx, compiler, kernel, lkmm,
    )  # fmt: skip
    found: dict[str, Handler] = {}
    for module in modules:
        found |= module.FUNCTIONS
    return found
