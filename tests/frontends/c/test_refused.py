"""Programs with unsupported or wrong content end in a message that names the construct and its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import api
from fencepost.errors import FencepostError
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer

FOLDER = Path(__file__).parent / "refused"

#: what an execution runs into: file, line, what the reason says
UNKNOWN = [
    ("asm.c", 3, 'the instruction "crc32l %r8d, %r8d" of inline assembly "crc32l $0, $0"'),
    ("asm_result.c", 3, 'inline assembly with a result that nothing gives: ""'),
    ("atomic_float.ll", 4, "atomicrmw fmax"),
    ("big_atomic.c", 5, "an atomic object that is neither 1, 2 or 4 bytes nor words"),
    ("cancel.c", 6, "call to pthread_cancel"),
    ("extern.c", 3, "the variable missing, which is declared and not defined"),
    ("computed_goto.c", 2, "the address of a label (a computed goto)"),
    ("fopen.c", 3, "call to fopen"),
    ("fork.c", 3, "call to fork"),
    ("int128.c", 4, "sitofp between 128-bit integers and another type"),
    ("long_double.c", 9, "a 128-bit integer or a long double as a variable argument"),
    ("lgamma.c", 4, "call to lgamma"),
    ("loop_bound.c", 5, "runs more than 2 times"),
    (
        "nondet.c",
        3,
        "a value of any size (choose a range with --nondet LOW..HIGH, or write fencepost_choose(low, high))",
    ),
    ("scanf.c", 4, "call to scanf"),
    ("setjmp.c", 7, "qsort in a program with longjmp"),
    ("socket.c", 3, "call to socket"),
    ("sprintf.c", 4, "sprintf with the directive %a"),
    ("system.c", 3, "call to system"),
    ("unknown_call.c", 4, "call to sensor"),
    ("vector.ll", 3, "a bit cast between vectors of different shapes"),
]
#: what is refused before anything runs: file and what the message says
REFUSED = [
    ("cut.ll", "cannot read this LLVM IR: found 'blub' in `%x = load blub , ptr null`"),
    ("empty.c", "empty.c:1: there is no function main to start from; expected `int main(void)`"),
    ("error.c", 'error.c:2:2: error: "say how many: -DN=2"'),
    ("garbage.ll", "garbage.ll:1: this is not LLVM IR: it defines nothing"),
    ("header.c", "header.c:1:10: fatal error: 'nowhere.h' file not found"),
    ("lambda.cpp", "lambda.cpp:1:49: error: use of undeclared identifier 'missing'"),
    ("no_main.c", "no_main.c:1: there is no function main to start from; expected `int main(void)`"),
    ("syntax.c", "syntax.c:2:11: error: expected expression"),
    ("types.c", "types.c:4:12: error: invalid operands to binary expression ('struct s' and 'int')"),
    ("undeclared.c", "undeclared.c:2:10: error: use of undeclared identifier 'missing'"),
    ("nothing.c", "nothing.c: cannot be read: there is no such file"),
]


@pytest.mark.parametrize(("name", "line", "what"), UNKNOWN, ids=[name for name, _, _ in UNKNOWN])
def test_what_is_reached_and_unsupported(name: str, line: int, what: str) -> None:
    verdict = api.check(FOLDER / name)
    assert verdict.answer is Answer.UNKNOWN
    assert f"{name}:{line}" in verdict.reason and what in verdict.reason


def test_streams_of_the_library_are_named() -> None:
    """Where they end is a matter of the library: libstdc++ declares the stream, libc++ its base class."""
    verdict = api.check(FOLDER / "stream.cpp")
    assert verdict.answer is Answer.UNKNOWN
    assert "a string or file stream of C++" in verdict.reason or "basic_ostringstream" in verdict.reason


#: what is wrong with a program that is understood: its text, the kind of the error, its line and what the reason says
HEAD = "#include <pthread.h>\n#include <stdlib.h>\n"
WRONG = {
    "join twice": ("void *f(void *a) { return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0);\n"
                   "pthread_join(t, 0);\npthread_join(t, 0); }\n", ErrorKind.BAD_JOIN, 6, "joined or detached before"),
    "join after detach": ("void *f(void *a) { return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0);\n"
                          "pthread_detach(t);\npthread_join(t, 0); }\n", ErrorKind.BAD_JOIN, 6, "detached before"),
    "join itself": ("int main(void) {\npthread_join(pthread_self(), 0); }\n", ErrorKind.DEADLOCK, 4, ""),
    "barrier for none": ("int main(void) { pthread_barrier_t b;\npthread_barrier_init(&b, 0, 0); }\n",
                         ErrorKind.BAD_CALL, 4, "for no threads"),
    "wait at a destroyed barrier": ("pthread_barrier_t b;\nint main(void) { pthread_barrier_init(&b, 0, 1);\n"
                                    "pthread_barrier_wait(&b); pthread_barrier_destroy(&b);\n"
                                    "pthread_barrier_wait(&b); }\n", ErrorKind.BAD_CALL, 6, "or is destroyed"),
    "destroy a barrier twice": ("pthread_barrier_t b;\nint main(void) { pthread_barrier_init(&b, 0, 1);\n"
                                "pthread_barrier_destroy(&b);\npthread_barrier_destroy(&b); }\n",
                                ErrorKind.BAD_CALL, 6, "destroyed already"),
    "destroy a locked mutex": ("pthread_mutex_t m;\nint main(void) { pthread_mutex_lock(&m);\n"
                               "pthread_mutex_destroy(&m); }\n", ErrorKind.UNLOCK, 5, "destroyed while it is locked"),
    "wait without the mutex": ("int main(void) { pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
                               "pthread_cond_t c = PTHREAD_COND_INITIALIZER;\npthread_cond_wait(&c, &m); }\n",
                               ErrorKind.UNLOCK, 5, ""),
    "recursion without end": ("int f(int n) {\nreturn f(n + 1) + 1; }\nint main(void) { return f(0); }\n",
                              ErrorKind.STACK_OVERFLOW, 4, ""),
    "division by zero": ("int main(void) { volatile int z = 0;\nreturn 1 / z; }\n", ErrorKind.DIVISION, 4, ""),
    "call of no function": ("int main(void) { void (*volatile f)(void) = 0;\nf(); }\n", ErrorKind.BAD_CALL, 4, ""),
    "free of a local": ("int main(void) { int x;\nfree(&x); }\n", ErrorKind.INVALID_FREE, 4, ""),
    "free of the middle": ("int main(void) { char *p = malloc(8);\nfree(p + 1); }\n", ErrorKind.INVALID_FREE, 4, ""),
    "misaligned atomic": ("_Alignas(8) char b[16];\nint main(void) {\n__atomic_fetch_add((int *)(b + 1), 1, 5); }\n",
                          ErrorKind.MISALIGNED, 5, ""),
}  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "line", "what"), WRONG.values(), ids=WRONG)
def test_what_is_wrong(tmp_path: Path, text: str, kind: ErrorKind, line: int, what: str) -> None:
    path = tmp_path / "wrong.c"
    path.write_text(HEAD + text)
    verdict = api.check(path)
    assert verdict.answer is Answer.FAIL and what in verdict.reason
    error = verdict.errors[0]
    assert error.kind is kind and error.at is not None and error.at.line == line


def test_too_much_memory_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "huge.c"
    path.write_text(HEAD + "int main(void) {\nreturn malloc(1ul << 40) == 0; }\n")
    verdict = api.check(path)
    assert verdict.answer is Answer.UNKNOWN and "huge.c:4" in verdict.reason and "more memory" in verdict.reason


@pytest.mark.parametrize(("name", "message"), REFUSED, ids=[name for name, _ in REFUSED])
def test_what_is_refused(name: str, message: str) -> None:
    with pytest.raises(FencepostError) as caught:
        api.check(FOLDER / name)
    assert message in str(caught.value)


def test_what_is_not_reached_does_not_count() -> None:
    assert api.check(FOLDER / "unknown_unreached.c").answer is Answer.PASS


def test_an_exception_that_nobody_catches_is_an_error() -> None:
    verdict = api.check(FOLDER / "throw.cpp")
    assert verdict.answer is Answer.FAIL and "an exception is thrown and nobody catches it" in verdict.reason


def test_every_program_is_expected_somewhere() -> None:
    named = {name for name, *_ in UNKNOWN + REFUSED} | {"stream.cpp", "unknown_unreached.c", "throw.cpp"}
    assert {p.name for p in FOLDER.iterdir()} <= named and len(named) >= 30
