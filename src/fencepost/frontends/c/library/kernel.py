"""What programs ask of the kernel: futex, memory in pages, signal masks, and questions about the machine."""

from __future__ import annotations

from fencepost.frontends.c.body import ZERO, Body
from fencepost.frontends.c.constants import number
from fencepost.frontends.c.library.runtime import run
from fencepost.frontends.c.library.stdlib import constant, errno
from fencepost.frontends.c.site import Handler, Site
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.instructions import Mode, Op
from fencepost.program.operands import Const, Operand, to_signed
from fencepost.program.program import Object

FUTEX = "fencepost.futex"
_PAGE = 4096
_THREADS = 64  # that may wait: one bit each
_ENOSYS = 38
_WITHOUT = "fencepost_without_membarrier"  # the object by which a program says that the kernel has none
_WORKS = (
    "a kernel with membarrier: no memory model says what a fence in every other thread is "
    "(FENCEPOST_WITHOUT_MEMBARRIER; of fencepost.h says that the kernel has none)"
)
_COMMAND = 0x7F  # without the flags for private memory and for the clock
_WAIT, _WAKE, _WAIT_BITSET, _WAKE_BITSET = 0, 1, 9, 10
_COMMANDS = {3: "FUTEX_REQUEUE", 4: "FUTEX_CMP_REQUEUE", 5: "FUTEX_WAKE_OP", 6: "FUTEX_LOCK_PI", 7: "FUTEX_UNLOCK_PI",
             8: "FUTEX_TRYLOCK_PI", 11: "FUTEX_WAIT_REQUEUE_PI", 12: "FUTEX_CMP_REQUEUE_PI"}  # fmt: skip
_ANY = 0xFFFFFFFF
_ANONYMOUS = 0x20
#: The numbers of system calls: those of x86-64, those of POWER, and those that newer machines share.
_X86 = {202: "futex", 324: "membarrier", 186: "gettid", 24: "sched_yield", 39: "gettid", 309: "getcpu"}
_POWER = {221: "futex", 365: "membarrier", 207: "gettid", 158: "sched_yield", 20: "gettid", 302: "getcpu"}
_GENERIC = {98: "futex", 283: "membarrier", 178: "gettid", 124: "sched_yield", 172: "gettid", 168: "getcpu"}


def system_call(b: Body, s: Site) -> Operand:
    machine = b.unit.module.triple.partition("-")[0]
    table = _X86 if machine == "x86_64" else _POWER if machine.startswith("powerpc64") else _GENERIC
    name = table.get(s[0].value, "") if isinstance(s[0], Const) else ""
    match name:
        case "futex":
            return _library_futex(b, s) if "__platform_" in b.name else futex(b, s)
        case "membarrier":
            return membarrier(b, s)
        case "gettid":
            return thread_number(b, s)
        case "sched_yield":
            return ZERO
    shown = f" {to_signed(s[0].value)}" if isinstance(s[0], Const) else ""
    raise Unsupported(f"call to syscall{shown}")


def _library_futex(b: Body, s: Site) -> Operand:
    """std::atomic::wait of a library, which wakes whom it must: to wait is to wait until the value has changed."""
    if isinstance(s[2], Const) and s[2].value & _COMMAND == _WAIT:
        b.emit(ins.Await(None, s[1], s[3], None, Op.NE, 4, Mode.RLX))
    return ZERO


def futex(b: Body, s: Site) -> Operand:
    """The kernel compares and goes to sleep in one step; who sleeps is woken, or its time is over. Nobody wakes up for
    no reason, so that a wakeup that is lost is found. Wrappers pass the command on, so it is looked at as it comes."""
    area = b.unit.add_object(Object(FUTEX, 8 + 8 * _THREADS, 8))
    command = b.compute(Op.AND, s[2], Const(_COMMAND))
    result, end = b.fresh("futex"), b.label()

    def case(commands: tuple[int, ...]) -> int:
        """Goes on here for these commands, and behind the label that is returned for others."""
        here, other = b.label(), b.label()
        for one in commands:
            more = b.label()
            b.branch(b.compute(Op.EQ, command, Const(one)), here, more)
            b.mark(more)
        b.jump(other)
        b.mark(here)
        return other

    other = case((_WAIT, _WAIT_BITSET))
    _any_bit(b, command, _WAIT_BITSET, s[6])
    timed = b.compute(Op.NE, s[4], ZERO)
    b.move(result, failed(b, run(b, "futex_wait", s[1], b.truncate(s[3], 32), area, b.add(area, 8), timed)))
    b.jump(end)
    b.mark(other)
    other = case((_WAKE, _WAKE_BITSET))
    _any_bit(b, command, _WAKE_BITSET, s[6])
    count = b.sign_extend(b.truncate(s[3], 32), 32)
    b.move(result, run(b, "futex_wake", s[1], count, area, b.add(area, 8)))
    b.jump(end)
    b.mark(other)
    known = f" {_COMMANDS.get(s[2].value & _COMMAND, '')}" if isinstance(s[2], Const) else ""
    b.fail(ins.ErrorKind.UNSUPPORTED, f"the command{known} of futex: only to wait and to wake is known")
    b.mark(end)
    return result


def _any_bit(b: Body, command: Operand, with_bits: int, bits: Operand) -> None:
    """A set of bits that is not all of them is not known."""
    plain, odd, end = b.label(), b.label(), b.label()
    b.branch(b.compute(Op.NE, command, Const(with_bits)), end, plain)
    b.mark(plain)
    b.branch(b.compute(Op.EQ, b.truncate(bits, 32), Const(_ANY)), end, odd)
    b.mark(odd)
    b.fail(ins.ErrorKind.UNSUPPORTED, "futex with a set of bits")
    b.mark(end)


def failed(b: Body, code: Operand) -> Operand:
    """0 where the code is 0; else -1, and the code goes to errno."""
    bad, end, result = b.label(), b.label(), b.fresh("result")
    b.move(result, ZERO)
    b.branch(code, bad, end)
    b.mark(bad)
    b.emit(ins.Store(errno(b), code, 4, Mode.NA))
    b.move(result, number(-1))
    b.jump(end)
    b.mark(end)
    return result


def membarrier(b: Body, s: Site) -> Operand:
    """A kernel has it or not, and programs must expect both. Without it every command fails, and to ask what there is
    gives nothing. With it our knowledge ends: a fence in every other thread has no counterpart in a memory model."""
    if _WITHOUT not in b.unit.module.global_lines:
        works, absent, there = b.fresh("works"), b.label(), b.label()
        b.emit(ins.Choose(works, ZERO, Const(1)))
        b.branch(works, there, absent)
        b.mark(there)
        b.fail(ins.ErrorKind.UNSUPPORTED, _WORKS)
        b.mark(absent)
    if isinstance(s[1], Const) and s[1].value == 0:
        return ZERO
    return failed(b, Const(_ENOSYS))


def thread_number(b: Body, s: Site) -> Operand:
    me = b.fresh("self")
    b.emit(ins.Self(me))
    return b.compute(Op.ADD, me, Const(1))


def map_memory(b: Body, s: Site) -> Operand:
    if not (isinstance(s[3], Const) and s[3].value & _ANONYMOUS):
        raise Unsupported("mmap of a file")
    found = b.fresh("pages")
    b.allocate(found, s.result, s[1], _PAGE, zeroed=True)
    return found


def unmap_memory(b: Body, s: Site) -> Operand:
    b.emit(ins.Free(s[0]))
    return ZERO


def signal_set(b: Body, s: Site) -> Operand:
    """No signal ever comes, so that the content of a set shows nowhere."""
    return ZERO


def configuration(b: Body, s: Site) -> Operand:
    """sysconf: a page has 4096 bytes, of everything else there are four."""
    page = b.compute(Op.EQ, s[0], Const(30), width=32)
    return b.compute(Op.SELECT, page, Const(_PAGE), Const(4))


FUNCTIONS: dict[str, Handler] = {
    "syscall": system_call, "mmap": map_memory, "mmap64": map_memory, "munmap": unmap_memory, "sysconf": configuration,
    "getpagesize": constant(_PAGE), "poll": constant(0), "ppoll": constant(0), "clock_nanosleep": constant(0),
    "madvise": constant(0), "mlock": constant(0), "munlock": constant(0), "mprotect": constant(0),
    "sched_setaffinity": constant(0), "pthread_setaffinity_np": constant(0), "pthread_atfork": constant(0),
    "__register_atfork": constant(0),
    **dict.fromkeys(("sigfillset", "sigemptyset", "sigaddset", "sigdelset", "pthread_sigmask", "sigprocmask",
                     "sigaction"), signal_set),
}  # fmt: skip
