"""Inline assembly of x86, and what volatile means."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import api
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer, Verdict

_HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdint.h>
static int faa(int *p, int v) { asm volatile("lock; xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory", "cc"); return v; }
static int load(int *p) { int v; asm volatile("movl %1, %0" : "=q"(v) : "m"(*p) : "memory"); return v; }
static void store(int *p, int v) { asm volatile("movl %1, %0" : "=m"(*p) : "iq"(v) : "memory"); }
static int swap(int *p, int v) { asm volatile("xchgl %0, %1" : "+m"(*p), "+q"(v) : : "memory"); return v; }
static _Bool cas(uint64_t *p, uint64_t old, uint64_t new) {
  _Bool z;
  asm volatile("lock cmpxchgq %3, %0; setz %1" : "+m"(*p), "=q"(z), "+a"(old) : "q"(new) : "memory", "cc");
  return z;
}
static void inc(int *p) { asm volatile("lock incl %0" : "+m"(*p) : : "memory", "cc"); }
static int same(int x) { asm("" : "+r"(x)); return x; }
static void both(pthread_t *t, void *(*f)(void *), void *(*g)(void *)) {
  pthread_create(t, 0, f, 0);
  pthread_create(t + 1, 0, g, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
}
int x, y, a, b;
uint64_t w;
"""


def _check(tmp_path: Path, body: str, **options: object) -> Verdict:
    path = tmp_path / "program.c"
    path.write_text(_HEAD + body)
    return api.check(path, **options)  # type: ignore[arg-type]


_PAIR = """static uint64_t v[2] __attribute__((aligned(16)));
static _Bool cas16(uint64_t *p, uint64_t *o, uint64_t n, uint64_t m) {
  _Bool z;
  asm volatile("lock cmpxchg16b %0; setz %3" : "+m"(*(__int128 *)p), "=a"(o[0]), "=d"(o[1]), "=q"(z)
               : "a"(o[0]), "d"(o[1]), "b"(n), "c"(m) : "memory", "cc");
  return z;
}
"""
_RIGHT = {
    "add": "void *p(void *z) { faa(&x, 2); inc(&x); return 0; } int main(void) { pthread_t t[2]; both(t, p, p);"
    " assert(x == 6); }",
    "swap": "void *p(void *z) { assert(swap(&x, 1) != 7); return 0; } int main(void) { pthread_t t[2]; both(t, p, p);"
    " assert(x == 1); }",
    "exchange": "void *p(void *z) { if (cas(&w, 0, 1ull << 40)) faa(&x, 1); return 0; }"
    " int main(void) { pthread_t t[2]; both(t, p, p); assert(x == 1 && w == 1ull << 40); }",
    "pause": 'int main(void) { asm volatile("rep; nop" ::: "memory"); asm volatile("pause; mfence" ::: "memory"); }',
    "stack": 'void *p(void *z) { store(&x, 1); asm volatile("lock; addl $0,0(%%rsp)" ::: "memory"); a = load(&y);'
    ' return 0; } void *q(void *z) { store(&y, 1); asm volatile("lock orq $0, -8(%%rsp)" ::: "memory");'
    " b = load(&x); return 0; }"
    " int main(void) { pthread_t t[2]; both(t, p, q); assert(a || b); }",
    "scans": "static int bsr(uint64_t v) { int64_t r;"
    ' asm("bsrq %1,%0\\n jnz 1f\\n movq $-1,%0\\n 1:" : "=&r"(r) : "rm"(v)); return r; }'
    'static int bsf(uint32_t v) { int r = 77; asm("bsfl %1,%0" : "+r"(r) : "r"(v) : "cc"); return r; }'
    'static int64_t lz(uint64_t v) { int64_t r; asm("lzcntq %1,%0" : "=r"(r) : "r"(v)); return r; }'
    'static int32_t pop(uint32_t v) { int32_t r; asm("popcntl %1,%0" : "=r"(r) : "r"(v)); return r; }'
    "int main(void) { assert(bsr(0) == -1 && bsr(1) == 0 && bsr(1ull << 63) == 63 && bsr(300) == 8);"
    " assert(bsf(0) == 77 && bsf(40) == 3 && bsf(1u << 31) == 31);"
    " assert(lz(0) == 64 && lz(1) == 63 && pop(0) == 0 && pop(~0u) == 32); }",
    "bits": "static _Bool bts(int *p, int n) { _Bool c;"
    ' asm volatile("lock btsl %2,%0; setc %1" : "+m"(*p), "=q"(c) : "Ir"(n) : "memory", "cc"); return c; }'
    "static _Bool btr(long v, long n) { _Bool c;"
    ' asm("btrq %2,%0" : "+r"(v), "=@ccc"(c) : "r"(n)); return c && v == 5; }'
    "void *p(void *z) { if (!bts(&x, 5)) faa(&y, 1); return 0; }"
    " int main(void) { pthread_t t[2]; both(t, p, p); assert(x == 32 && y == 1 && btr(13, 3) && !btr(5, 66)); }",
    "clock": "int main(void) { unsigned lo, hi;"
    ' asm volatile("rdtsc" : "=a"(lo), "=d"(hi)); assert(lo < 7 || lo > 6); }',
    "pair": _PAIR + "void *p(void *z) { uint64_t o[2] = {0, 0}; if (cas16(v, o, 1, 2)) inc(&x);"
    " else assert(o[0] == 1 && o[1] == 2); return 0; }"
    " int main(void) { pthread_t t[2]; both(t, p, p); assert(x == 1 && v[0] == 1 && v[1] == 2); }",
    "pair that fails": _PAIR + "void *p(void *z) { uint64_t o[2] = {7, 7}; store(&x, 1); cas16(v, o, 1, 2);"
    ' a = load(&y); return 0; } void *q(void *z) { store(&y, 1); asm volatile("mfence" ::: "memory");'
    " b = load(&x); return 0; } int main(void) { pthread_t t[2]; both(t, p, q); assert(a || b); }",
    "identity": "int main(void) { assert(same(5) == 5); int r = faa(&x, 3); assert(r == 0 && x == 3); }",
}


@pytest.mark.parametrize("name", _RIGHT)
@pytest.mark.parametrize("model", ["rc11", "tso"])
def test_what_is_locked_is_atomic(name: str, model: str, tmp_path: Path) -> None:
    verdict = _check(tmp_path, _RIGHT[name], model=model)
    stronger = "pair" in name and model == "rc11"  # 16 bytes are more than an access there
    assert verdict.answer is (Answer.UNKNOWN if stronger else Answer.PASS), verdict.reason


_BUFFERING = (
    "void *p(void *z) {{ store(&x, 1); {0} a = load(&y); return 0; }}"
    "void *q(void *z) {{ store(&y, 1); {0} b = load(&x); return 0; }}"
    "int main(void) {{ pthread_t t[2]; both(t, p, q); assert(a || b); }}"
)


@pytest.mark.parametrize(
    ("between", "answer"),
    [("", Answer.FAIL), ('asm volatile("mfence" ::: "memory");', Answer.PASS)],
)
def test_stores_are_buffered_without_a_fence(between: str, answer: Answer, tmp_path: Path) -> None:
    assert _check(tmp_path, _BUFFERING.format(between), model="tso").answer is answer


def test_an_unknown_instruction_is_named_where_it_is_reached(tmp_path: Path) -> None:
    unused = 'int main(int n, char **v) { if (n > 1) asm volatile("vzeroall"); return 0; }'
    assert _check(tmp_path, unused).answer is Answer.PASS
    verdict = _check(tmp_path, 'int main(void) { asm volatile("vzeroall"); return 0; }')
    assert verdict.answer is Answer.UNKNOWN and "vzeroall" in verdict.reason


@pytest.mark.parametrize("volatile", ["plain", "relaxed", "strict"])
def test_volatile_is_what_the_user_says(volatile: str, tmp_path: Path) -> None:
    body = (
        "volatile int f, g; void *p(void *z) { f = 1; a = g; return 0; } void *q(void *z) { g = 1; b = f; return 0; }"
        "int main(void) { pthread_t t[2]; both(t, p, q); assert(a || b); }"
    )
    verdict = _check(tmp_path, body, volatile=volatile)
    if volatile == "strict":
        assert verdict.answer is Answer.PASS
    else:
        wanted = ErrorKind.RACE if volatile == "plain" else ErrorKind.ASSERTION
        assert [e.kind for e in verdict.errors] == [wanted]


def test_the_words_of_another_machine_mean_something_else(tmp_path: Path) -> None:
    """On AArch64 `mov` has its destination first, on x86 last."""
    text = (
        'target triple = "{}-unknown-linux-gnu"\ndefine i32 @main() {{\n'
        '  %x = call i32 asm "mov $0, $1", "=r,r"(i32 1)\n  %b = icmp eq i32 %x, 1\n'
        "  call void @__VERIFIER_assert(i1 %b)\n  ret i32 0\n}}\ndeclare void @__VERIFIER_assert(i1)\n"
    )
    path = tmp_path / "program.ll"
    path.write_text(text.format("aarch64"))
    assert api.check(path).answer is Answer.PASS
    path.write_text(text.format("x86_64"))
    verdict = api.check(path)
    assert verdict.answer is Answer.UNKNOWN and "mov" in verdict.reason


_FLAGS = """
static _Bool z(int *p, int v) { _Bool f; asm volatile("lock addl %2, %1" : "=@ccz"(f), "+m"(*p) : "ir"(v)); return f; }
static _Bool le(int *p) { char f; asm volatile("lock incl %0; setle %1" : "+m"(*p), "=q"(f)); return f; }
static _Bool below(unsigned a, unsigned b) { _Bool f; asm("cmpl %2, %1" : "=@ccb"(f) : "r"(a), "r"(b)); return f; }
int main(void) {
  x = -3;
  assert(!z(&x, 2) && z(&x, 1) && x == 0);
  x = -2;
  assert(le(&x) && le(&x) && !le(&x));
  x = 0x7fffffff;
  assert(!le(&x));  // the sum is positive, only its 32 bits are not
  assert(below(1, 2) && !below(2, 2) && below(5, 0xfffffff0u));
}
"""


def test_flags_are_those_of_the_machine(tmp_path: Path) -> None:
    verdict = _check(tmp_path, _FLAGS)
    assert verdict.answer is Answer.PASS, verdict.reason


def test_an_atomic_that_gives_no_result_is_no_primitive_of_the_kernel(tmp_path: Path) -> None:
    text = """
int w = 8;
int main(void) {
  asm volatile("stadd %w0, [%1]" : : "r"(2), "r"(&w) : "memory");
  if (w != SUM) __builtin_trap();
  return 0;
}
"""
    file = tmp_path / "stadd.c"
    flags = ["--target=aarch64-linux-gnu"]
    for total, answer in (("10", Answer.PASS), ("8", Answer.FAIL)):
        file.write_text(text.replace("SUM", total), encoding="utf-8")
        assert api.check(file, model="armv8", flags=flags).answer is answer


_MACHINES = {
    "aarch64": (
        "armv8",
        'asm volatile("1: ldxr %w0, [%2]\\n add %w1, %w0, #1\\n stxr %w3, %w1, [%2]\\n cbnz %w3, 1b\\n"'
        ' : "=&r"(old), "=&r"(new), "+r"(p), "=&r"(failed) : : "memory");',
        'asm volatile("ldr %w0, [%1]" : "=r"(v) : "r"(p) : "memory");',
        'asm volatile("stlr %w1, [%0]" : : "r"(p), "r"(v) : "memory");',
        'asm volatile("dmb ish" ::: "memory");',
    ),
    "riscv64": (
        "riscv",
        'asm volatile("1: lr.w %0, (%2)\\n addi %1, %0, 1\\n sc.w %3, %1, (%2)\\n bnez %3, 1b\\n"'
        ' : "=&r"(old), "=&r"(new), "+r"(p), "=&r"(failed) : : "memory");',
        'asm volatile("lw %0, 0(%1)" : "=r"(v) : "r"(p) : "memory");',
        'asm volatile("fence rw, w; sw %1, 0(%0)" : : "r"(p), "r"(v) : "memory");',
        'asm volatile("fence rw, rw" ::: "memory");',
    ),
    "powerpc64le": (
        "power",
        'asm volatile("1: lwarx %0, 0, %2; addi %1, %0, 1; stwcx. %1, 0, %2; bne- 1b; li %3, 0"'
        ' : "=&r"(old), "=&r"(new), "+r"(p), "=&r"(failed) : : "memory", "cc");',
        'asm volatile("lwz %0, 0(%1)" : "=r"(v) : "b"(p) : "memory");',
        'asm volatile("lwsync; stw %1, 0(%0)" : : "b"(p), "r"(v) : "memory");',
        'asm volatile("sync" ::: "memory");',
    ),
}
_PROGRAM = """
int printf(const char *, ...);
extern void __VERIFIER_assert(int);
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int x, y, a, b;
static int faa(int *p) {{ int old, new, failed; {add} return old; }}
static int load(int *p) {{ int v; {load} return v; }}
static void store(int *p, int v) {{ {store} }}
static void fence(void) {{ {fence} }}
static void both(void *(*f)(void *), void *(*g)(void *)) {{
  pthread_t t, u;
  pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); pthread_join(u, 0);
}}
{body}
"""
_COUNT = "void *p(void *z) { faa(&x); faa(&x); return 0; } int main(void) { both(p, p); __VERIFIER_assert(x == 4); }"
_BUFFER = (
    "void *p(void *z) {{ store(&x, 1); {0} a = load(&y); return 0; }}"
    " void *q(void *z) {{ store(&y, 1); {0} b = load(&x); return 0; }}"
    " int main(void) {{ both(p, q); __VERIFIER_assert(a || b); }}"
)


@pytest.mark.parametrize("machine", _MACHINES)
def test_other_machines(machine: str, tmp_path: Path) -> None:
    """The same instructions as in litmus tests, compiled for the machine."""
    model, add, load, store, fence = _MACHINES[machine]

    def answer(body: str) -> Answer:
        path = tmp_path / "program.c"
        path.write_text(_PROGRAM.format(add=add, load=load, store=store, fence=fence, body=body))
        verdict = api.check(path, model=model, flags=[f"--target={machine}-linux-gnu"])
        assert verdict.answer in (Answer.PASS, Answer.FAIL), verdict.reason
        return verdict.answer

    assert answer(_COUNT) is Answer.PASS
    assert answer(_BUFFER.format("fence();")) is Answer.PASS
    # A release store and a plain load are not ordered.
    assert answer(_BUFFER.format("")) is Answer.FAIL


_POWER_EXCHANGE = """
extern void __VERIFIER_assert(int);
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
static int x, n;
static int exchange(int *p, int from, int to) {
  int old;
  asm volatile("or 1, 1, 1; or 2, 2, 2;" ::: "memory");
  asm volatile("1:; lwarx %0, 0, %1; cmpw FIELD, %0, %3; bne- CR 2f; stwcx. %2, 0, %1; bne- 1b; 2:"
               : "=&r"(old) : "r"(p), "r"(to), "r"(from) : "memory", "cc");
  return old == from;
}
static void *run(void *a) { if (exchange(&x, 0, 1)) n++; return a; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  run(0);
  pthread_join(t, 0);
  __VERIFIER_assert(x == 1 && n == 1);
}
"""


@pytest.mark.parametrize(("field", "named"), [("0", ""), ("cr0", ""), ("7", "cr7,")])
def test_comparisons_name_their_field_by_number_too(field: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(_POWER_EXCHANGE.replace("FIELD", field).replace("CR ", named))
    verdict = api.check(path, model="power", flags=["--target=powerpc64le-linux-gnu"])
    assert verdict.answer is Answer.PASS, verdict.reason


_GOTO = {
    "tso": """#include <assert.h>
#include <pthread.h>
static int lock, c;
static int take(int *p) { asm goto("xchgl %1, %0; testl %1, %1; jnz %l[taken]" : : "m"(*p), "r"(1) : "memory", "cc"
                                   : taken); return 1; taken: return 0; }
static int side(int x) { asm goto("cmpl $5, %0; je %l[a]; jg %l[b]" : : "r"(x) : "cc" : a, b); return 0;
                         a: return 1; b: return 2; }
void *run(void *u) { if (take(&lock)) { c++; asm volatile("movl $0, %0" : "=m"(lock) : : "memory"); } return 0; }
int main(void) {
  assert(side(4) == 0); assert(side(5) == 1); assert(side(6) == 2);
  pthread_t s, t;
  pthread_create(&s, 0, run, 0); pthread_create(&t, 0, run, 0); pthread_join(s, 0); pthread_join(t, 0);
  assert(c == 1 || c == 2);
  assert(c == EXPECTED || c == 2);
}
""",
    "armv8": """void __VERIFIER_assert(int);
static int side(int x) { asm goto("cmp %w0, #5; b.eq %l[a]; cbz %w0, %l[b]" : : "r"(x) : "cc" : a, b); return 0;
                         a: return 1; b: return 2; }
int main(void) { __VERIFIER_assert(side(4) == 0); __VERIFIER_assert(side(5) == EXPECTED);
                 __VERIFIER_assert(side(0) == 2); }
""",
}


@pytest.mark.parametrize(("model", "flags"), [("tso", ()), ("armv8", ("--target=aarch64-linux-gnu",))])
def test_assembly_may_jump_to_labels_of_the_program(model: str, flags: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(_GOTO[model])
    verdict = api.check(path, model=model, volatile="relaxed", flags=["-DEXPECTED=1", *flags])
    assert verdict.answer is Answer.PASS, verdict.reason
    verdict = api.check(path, model=model, volatile="relaxed", flags=["-DEXPECTED=3", *flags])
    assert [e.kind for e in verdict.errors] == [ErrorKind.ASSERTION]
