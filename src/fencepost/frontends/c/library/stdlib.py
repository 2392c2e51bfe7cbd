"""<stdlib.h>, <assert.h>, <errno.h>, <unistd.h>, <time.h>, <sched.h>: endings, constants, and things that only pass
time."""

from __future__ import annotations

from fencepost.frontends.c.body import ZERO, Body
from fencepost.frontends.c.constants import number
from fencepost.frontends.c.library.runtime import run
from fencepost.frontends.c.site import Handler, Site
from fencepost.frontends.c.undefined import check_absolute
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind, Mode, Op
from fencepost.program.operands import Operand
from fencepost.program.program import Object

_RAND = 42
ERRNO = "errno"


def assertion(b: Body, s: Site) -> None:
    text = b.unit.text(s[0])
    b.fail(ErrorKind.ASSERTION, f"assert({text})" if text else "assertion failed")


def bsd_assertion(b: Body, s: Site) -> None:
    """__assert_rtn(function, file, line, expression)"""
    text = b.unit.text(s[3])
    b.fail(ErrorKind.ASSERTION, f"assert({text})" if text else "assertion failed")


def abort(b: Body, s: Site) -> None:
    b.fail(ErrorKind.ABORT, f"{s.callee}() is called")


def constant(value: int) -> Handler:
    return lambda b, s: number(value)


def errno(b: Body, s: Site | None = None) -> Operand:
    if ERRNO not in b.unit.objects:
        b.unit.add_object(Object(ERRNO, 4, 4, (), True))
    return b.thread_local(ERRNO)


def absolute(bits: int) -> Handler:
    def handle(b: Body, s: Site) -> Operand:
        check_absolute(b, s[0], bits)
        negative = b.compute(Op.SLT, s[0], ZERO, width=bits)
        return b.compute(Op.SELECT, negative, b.compute(Op.SUB, ZERO, s[0], width=bits), s[0])

    return handle


def parse_number(bits: int) -> Handler:
    return lambda b, s: b.truncate(run(b, "strtol", s[0]), bits)


def parse_in_base(b: Body, s: Site) -> Operand:
    return run(b, "strtol_base", s[0], s[2], s[1])


def clock_gettime(b: Body, s: Site) -> Operand:
    for offset in (0, 8):
        b.emit(ins.Store(b.add(s[1], offset), ZERO, 8, Mode.NA))
    return ZERO


def clears(argument: int, *parts: tuple[int, int]) -> Handler:
    """What a function gives through a pointer is 0, and so is its result: offsets and sizes of what it writes, unless
    the pointer is null."""

    def handle(b: Body, s: Site) -> Operand:
        if s[argument] == ZERO:
            return ZERO
        write, end = b.label(), b.label()
        b.branch(s[argument], write, end)
        b.mark(write)
        for offset, size in parts:
            b.emit(ins.Store(b.add(s[argument], offset), ZERO, size, Mode.NA))
        b.jump(end)
        b.mark(end)
        return ZERO

    return handle


FUNCTIONS: dict[str, Handler] = {
    "__assert_fail": assertion, "__assert": assertion, "__assert_rtn": bsd_assertion, "abort": abort,
    "__stack_chk_fail": abort, "rand": constant(_RAND), "random": constant(_RAND), "rand_r": constant(_RAND),
    "srand": constant(0), "srandom": constant(0), "getenv": constant(0), "secure_getenv": constant(0),
    "time": clears(0, (0, 8)), "clock": constant(0), "clock_gettime": clock_gettime,
    "gettimeofday": clears(0, (0, 8), (8, 8)),
    "getpid": constant(1), "gettid": constant(1), "sleep": constant(0), "usleep": constant(0), "nanosleep": constant(0),
    "sched_yield": constant(0), "pthread_yield": constant(0), "get_nprocs": constant(4),
    "sched_getcpu": constant(0), "__errno_location": errno, "___errno_location": errno,
    "abs": absolute(32), "labs": absolute(64), "llabs": absolute(64), "atoi": parse_number(32),
    "strtol": parse_in_base, "strtoul": parse_in_base, "strtoll": parse_in_base, "strtoull": parse_in_base,
    "__isoc23_strtol": parse_in_base, "__isoc23_strtoul": parse_in_base, "__isoc23_strtoll": parse_in_base,
    "__isoc23_strtoull": parse_in_base, "atol": parse_number(64), "atoll": parse_number(64), "alarm": constant(0),
    "signal": constant(0), "strerror": constant(0), "isatty": constant(0),
}  # fmt: skip
