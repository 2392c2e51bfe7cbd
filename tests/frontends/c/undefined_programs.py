"""Small programs with undefined behaviour: what each does, and the kind of error that is found, or why none is."""

from __future__ import annotations

from typing import NamedTuple

from fencepost.program.instructions import ErrorKind as K


class Undefined(NamedTuple):
    """`sometimes`: what is found where an older compiler leaves more of it in its code."""

    what: str
    kind: K | None
    body: str
    why_not: str = ""
    language: str = "c"
    sometimes: K | None = None


_HEAD = """#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
static volatile int one = 1, zero = 0, minus = -1, big = INT_MAX, least = INT_MIN;
static volatile long long_big = LONG_MAX, long_least = LONG_MIN;
static volatile double huge = 1e30;
"""


def source(program: Undefined) -> str:
    return _HEAD + program.body


def table() -> str:
    """The table in docs/c.md."""
    lines = ["| undefined behaviour | found as, and ignored by |", "|---|---|"]
    lines += [f"| {p.what} | {f'`{p.kind.value}`' if p.kind else f'not: {p.why_not}'} |" for p in PROGRAMS]
    return "\n".join(lines) + "\n"


def _main(text: str) -> str:
    return f"int main(void) {{ {text} return 0; }}\n"


_THREAD = "pthread_t t; pthread_create(&t, 0, run, %s); pthread_join(t, 0);"

PROGRAMS = (
    Undefined("signed addition overflows", K.OVERFLOW, _main("int x = big + one; (void)x;")),
    Undefined("signed increment overflows", K.OVERFLOW, _main("int x = big; x++; (void)x;")),
    Undefined("signed subtraction overflows", K.OVERFLOW, _main("int x = least - one; (void)x;")),
    Undefined("signed multiplication overflows", K.OVERFLOW, _main("int x = big * 2; (void)x;")),
    Undefined("64-bit multiplication overflows", K.OVERFLOW, _main("long x = long_big * (one + 1); (void)x;")),
    Undefined(
        "64-bit multiplication of the least number by -1", K.OVERFLOW, _main("long x = minus * long_least; (void)x;")
    ),
    Undefined("negation overflows", K.OVERFLOW, _main("int x = -least; (void)x;")),
    Undefined("abs(INT_MIN)", K.OVERFLOW, _main("int x = abs(least); (void)x;")),
    Undefined("INT_MIN / -1", K.OVERFLOW, _main("int x = least / minus; (void)x;")),
    Undefined("division by zero", K.DIVISION, _main("int x = one / zero; (void)x;")),
    Undefined("shift by the width", K.SHIFT, _main("int x = one << (one + 31); (void)x;")),
    Undefined("shift by a negative number", K.SHIFT, _main("int x = one >> minus; (void)x;")),
    Undefined("float to integer overflows", K.FLOAT_CAST, _main("int x = (int)huge; (void)x;")),
    Undefined("index past an inner array", K.BOUNDS, "int a[3][4];\n" + _main("a[1][one + 3] = 2;")),
    Undefined(
        "index past an array inside a struct", K.BOUNDS, "struct { int a[2]; int b; } s;\n" + _main("s.a[one + 1] = 2;")
    ),
    Undefined("negative index", K.BOUNDS, "int a[3];\n" + _main("a[minus] = 2;")),
    Undefined("array bound that is not positive", K.INVALID_VALUE, _main("int n = minus; char a[n]; a[0] = 1;")),
    Undefined(
        "load of a bool that is neither 0 nor 1",
        None,
        "unsigned char c = 3;\n" + _main("bool b = *(bool *)&c; (void)b;"),
        "a check of every flag that is read would end the waiting loops that are recognised",
    ),
    Undefined("count of zeros of zero", K.INVALID_VALUE, _main("int x = __builtin_ctz(zero); (void)x;")),
    Undefined("uninitialised variable is read", K.UNINITIALISED, _main("int x; if (zero) x = 1; int y = x; (void)y;")),
    Undefined(
        "uninitialised variable decides a branch", K.UNINITIALISED, _main("int x; if (zero) x = 1; if (x) one = 2;")
    ),
    Undefined(
        "variable of a loop's body keeps no value",
        K.UNINITIALISED,
        _main("for (int i = 0; i < 2; i++) { int x; if (i == 0) x = 1; one = x; }"),
    ),
    Undefined(
        "uninitialised memory of the heap is read", K.UNINITIALISED, _main("int *p = malloc(4); one = *p; free(p);")
    ),
    Undefined(
        "uninitialised stack memory is read by another thread",
        K.UNINITIALISED,
        "void *run(void *p) { one = *(int *)p; return 0; }\n" + _main("int x; " + _THREAD % "&x"),
    ),
    Undefined(
        "missing return whose value is used (C)",
        K.MISSING_RETURN,
        "int f(int x) { if (x) return 1; }\n" + _main("one = f(zero);"),
    ),
    Undefined(
        "missing return (C++)",
        K.MISSING_RETURN,
        "int f(int x) { if (x) return 1; }\n" + _main("f(zero);"),
        language="cpp",
    ),
    Undefined("write to a const object", K.CONSTANT, "const int c = 1;\n" + _main("*(int *)&c = 2;")),
    Undefined("write to a string literal", K.CONSTANT, _main('char *p = (char *)"text"; p[zero] = 1;')),
    Undefined("memcpy onto what is copied", K.OVERLAP, "char a[8];\n" + _main("memcpy(a + one, a, 4);")),
    Undefined("misaligned access on the stack", K.MISALIGNED, _main("char a[8]; int *p = (int *)(a + one); *p = 1;")),
    Undefined(
        "misaligned access on the heap", K.MISALIGNED, _main("char *a = malloc(8); *(int *)(a + one) = 1; free(a);")
    ),
    Undefined(
        "use of a local variable after its function has returned, through a pointer that was stored",
        K.USE_AFTER_FREE,
        "int *volatile kept;\nint f(void) { int x = 1; kept = &x; return x; }\n" + _main("f(); one = *kept;"),
    ),
    Undefined(
        "barrier that is made while a thread waits",
        K.RACE,
        "pthread_barrier_t b; void *run(void *p) { pthread_barrier_wait(&b); return 0; }\n"
        + _main(
            "pthread_barrier_init(&b, 0, 2); pthread_t t; pthread_create(&t, 0, run, 0);"
            "pthread_barrier_init(&b, 0, 2);"
            "pthread_barrier_wait(&b); pthread_join(t, 0);"
        ),
    ),
    Undefined(
        "join of a detached thread",
        K.BAD_JOIN,
        "void *run(void *p) { return 0; }\n"
        + _main("pthread_t t; pthread_create(&t, 0, run, 0); pthread_detach(t); pthread_join(t, 0);"),
    ),
    Undefined(
        "unlock of a mutex that is not held",
        K.UNLOCK,
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n" + _main("pthread_mutex_unlock(&m);"),
    ),
    Undefined(
        "call of a function with too few arguments",
        K.BAD_CALL,
        "int f(int a, int b) { return a + b; }\n" + _main("int (*g)(int) = (int (*)(int))f; one = g(1);"),
    ),
    Undefined(
        "shift of a negative number, or into the sign",
        None,
        _main("int x = minus << 1; (void)x;"),
        "every compiler defines it, and so do C++20 and, for the most part, C23",
    ),
    Undefined(
        "misaligned access to an array in one expression",
        None,
        _main("char a[8]; *(int *)(a + one) = 1;"),
        "the compiler sees the array and accesses its bytes",
        sometimes=K.MISALIGNED,
    ),
    Undefined(
        "use of a local variable behind its block",
        K.USE_AFTER_FREE,
        _main("int *p; { int x = 1; p = &x; } *p = 2;"),
    ),
    Undefined(
        "use of a local variable behind its block, whose address a function has stored",
        None,
        "int *kept;\nvoid keep(int *p) { kept = p; }\n" + _main("{ int x = 1; keep(&x); } *kept = 2;"),
        "only addresses that the block stores itself, or gets back from a call, are known to leave it",
    ),
    Undefined(
        "part of a local array or struct that nobody wrote decides a branch",
        K.UNINITIALISED,
        _main("int a[2]; a[0] = 1; if (a[zero + 1]) one = 2;"),
    ),
    Undefined(
        "copy of a part of a local array or struct that nobody wrote",
        None,
        _main("int a[2], b; a[0] = 1; b = a[zero + 1]; (void)b;"),
        "structs are copied with their gaps: an error is what depends on it (a branch, an address, what is printed)",
    ),
    Undefined(
        "bit-field that nobody wrote, beside one that somebody wrote",
        K.UNINITIALISED,
        _main("struct { unsigned a : 4, b : 4; } s; s.a = 3; if (s.b == 2) one = 2;"),
    ),
    Undefined("address that nobody wrote", K.UNINITIALISED, _main("int *p, **q = &p; one = **q;")),
    Undefined(
        "local variable that nobody wrote is printed",
        K.UNINITIALISED,
        "#include <stdio.h>\n" + _main('int x, *p = &x; printf("%d", *p);'),
    ),
    Undefined("exit code that nobody wrote", K.UNINITIALISED, "int main(void) { int x, *p = &x; return *p; }\n"),
    Undefined(
        "mutex on the stack that nobody initialised",
        K.UNINITIALISED,
        _main("pthread_mutex_t m; pthread_mutex_lock(&m);"),
    ),
    Undefined(
        "value that nobody wrote, and that went through memory that other threads can reach",
        None,
        "int shared;\n" + _main("int x, *p = &x; shared = *p; if (shared) one = 2;"),
        "there it counts as one that was written",
    ),
    Undefined(
        "array or struct of a loop's body keeps no value",
        None,
        _main("for (int i = 0; i < 2; i++) { int x[2]; if (i == 0) x[zero] = 1; if (x[zero]) one = 2; }"),
        "its memory lives as long as the call, unless its address is kept",
    ),
    Undefined(
        "lock of a mutex that is destroyed",
        K.DEADLOCK,
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
        + _main("pthread_mutex_destroy(&m); pthread_mutex_lock(&m);"),
    ),
    Undefined(
        "mutex that is destroyed twice",
        K.UNLOCK,
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
        + _main("pthread_mutex_destroy(&m); pthread_mutex_destroy(&m);"),
    ),
    Undefined(
        "uninitialised variable of the thread's own that is read through a pointer",
        K.UNINITIALISED,
        _main("int x; int *p = &x; int y = *p; if (y) one = 2;"),
    ),
    Undefined(
        "call through a function type that differs in types only",
        None,
        "long f(long a) { return a; }\n" + _main("int (*g)(int) = (int (*)(int))f; one = g(1);"),
        "values are passed alike",
    ),
    Undefined(
        "use of a local variable by another thread after its function has returned",
        None,
        "int *volatile kept;\nint f(void) { int x = 1; kept = &x; return x; }\n"
        "void *run(void *a) { one = *kept; return a; }\n" + _main("f(); " + _THREAD % "0"),
        "what others may reach lives as long as its thread",
    ),
    Undefined(
        "wait for a semaphore that is destroyed",
        None,
        _main("sem_t s; sem_init(&s, 0, 1); sem_destroy(&s); sem_wait(&s);"),
        "a semaphore keeps no note of it",
    ),
    Undefined(
        "pointer arithmetic that overflows",
        None,
        _main("char a[4]; char *p = a; p += (unsigned long)LONG_MAX + one; one = p == a;"),
        "only accesses are looked at",
    ),
    Undefined(
        "null for a parameter that is not to be null",
        None,
        "__attribute__((nonnull)) int f(int *p) { return 1; }\n" + _main("int *volatile p = 0; one = f(p);"),
        "only accesses are looked at",
    ),
    Undefined(
        "delete of what new[] gave (C++)",
        K.INVALID_FREE,
        _main("int *p = new int[3]; delete p;"),
        "",
        "cpp",
    ),
    Undefined(
        "delete of what malloc gave (C++)",
        K.INVALID_FREE,
        _main("int *p = (int *)malloc(4); delete p;"),
        "",
        "cpp",
    ),
    Undefined("free of what new gave (C++)", K.INVALID_FREE, _main("int *p = new int; free(p);"), "", "cpp"),
    Undefined(
        "load of an enumeration with no such value",
        None,
        "enum E { A, B, C };\n" + _main("int x = 77; E e; memcpy(&e, &x, sizeof e); one = e == C;"),
        "as for bool",
        "cpp",
    ),
    Undefined(
        "cast to a derived class that the object is not of",
        None,
        "struct A { virtual ~A() {} };\nstruct B : A { int g() { return 2; } };\n"
        + _main("A a; one = static_cast<B *>(&a)->g();"),
        "only accesses are looked at",
        "cpp",
    ),
    Undefined("not a number to integer", K.FLOAT_CAST, _main("double d = zero; int x = (int)(d / d); (void)x;")),
    Undefined("negative float to unsigned", K.FLOAT_CAST, _main("unsigned x = (unsigned)(-huge); (void)x;")),
    Undefined("free of a local variable", K.INVALID_FREE, _main("int x = 1; int *volatile p = &x; free(p);")),
    Undefined(
        "use of memory that realloc took",
        K.USE_AFTER_FREE,
        _main("int *p = malloc(4); *p = 1; int *q = realloc(p, 64); *q = 2; one = *p; free(q);"),
    ),
    Undefined(
        "memory of alloca after its function has returned",
        K.USE_AFTER_FREE,
        "char *kept;\nvoid f(void) { char *p = __builtin_alloca(8); *p = 1; kept = p; }\n" + _main("f(); one = *kept;"),
    ),
    Undefined(
        "use of a local variable of a thread that has ended",
        K.USE_AFTER_FREE,
        "int *volatile kept;\nvoid *run(void *a) { int x = 1; kept = &x; return a; }\n"
        + _main(_THREAD % "0" + " one = *kept;"),
    ),
    Undefined(
        "second join of a thread",
        K.BAD_JOIN,
        "void *run(void *a) { return a; }\n" + _main(_THREAD % "0" + " pthread_join(t, 0);"),
    ),
    Undefined(
        "lock of a mutex on the heap that nobody initialised",
        K.UNINITIALISED,
        _main("pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_lock(m); free(m);"),
    ),
    Undefined(
        "part of a struct on the stack that nobody wrote, in a branch of another thread",
        K.UNINITIALISED,
        "struct job { int a, b; };\nvoid *run(void *a) { struct job *j = a; if (j->b > 3) one = 2; return a; }\n"
        + _main("struct job j; j.a = 1; " + _THREAD % "&j"),
    ),
    Undefined(
        "write to a local variable that is const",
        None,
        _main("const int limit = 3; int *p = (int *)&limit; *p = 4;"),
        "only objects that live as long as the program are known to be const",
    ),
    Undefined(
        "signal of a condition variable that is destroyed",
        None,
        _main("pthread_cond_t c; pthread_cond_init(&c, 0); pthread_cond_destroy(&c); pthread_cond_signal(&c);"),
        "a condition variable keeps no note of it",
    ),
    Undefined(
        "barrier that is made twice while nobody waits",
        None,
        _main("pthread_barrier_t b; pthread_barrier_init(&b, 0, 1); pthread_barrier_init(&b, 0, 2);"),
        "it is made anew",
    ),
    Undefined(
        "printf of a string without an end",
        K.OUT_OF_BOUNDS,
        "#include <stdio.h>\n" + _main('char *a = malloc(3); memset(a, 65, 3); printf("%s", a); free(a);'),
    ),
    Undefined(
        "printf of a string that is freed",
        K.USE_AFTER_FREE,
        "#include <stdio.h>\n" + _main('char *a = calloc(3, 1); free(a); printf("%d %.2s", 1, a);'),
    ),
    Undefined(
        "printf of a string that another thread writes",
        K.RACE,
        "#include <stdio.h>\nchar a[4];\n"
        "void *run(void *b) { a[0] = 65; return b; }\n"
        + _main("pthread_t t; pthread_create(&t, 0, run, 0); puts(a); pthread_join(t, 0);"),
    ),
    Undefined(
        "printf with fewer arguments than its format asks for",
        K.BAD_CALL,
        "#include <stdio.h>\n" + _main('printf("%d %d", one);'),
    ),
    Undefined(
        "atomic load with an order for stores",
        K.UNINITIALISED,
        "#include <stdatomic.h>\natomic_int a;\n" + _main("return atomic_load_explicit(&a, memory_order_release);"),
    ),
    Undefined(
        "unlock of a spin lock that nobody holds",
        K.UNLOCK,
        _main("pthread_spinlock_t s; pthread_spin_init(&s, 0); pthread_spin_unlock(&s);"),
    ),
    Undefined(
        "use of a mutex after its memory is freed",
        K.USE_AFTER_FREE,
        _main("pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_init(m, 0); free(m); pthread_mutex_lock(m);"),
    ),
    Undefined(
        "read-write lock that is given back and not held",
        K.UNLOCK,
        _main("pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; pthread_rwlock_unlock(&l);"),
    ),
    Undefined(
        "wait for a condition without the mutex",
        K.UNLOCK,
        _main(
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; "
            "pthread_cond_wait(&c, &m);"
        ),
    ),
    Undefined("code that cannot be reached is reached", K.ABORT, _main("if (one) __builtin_unreachable();")),
    Undefined("call through a null pointer", K.BAD_CALL, "int (*f)(void);\n" + _main("return f();")),
    Undefined(
        "recursion without end", K.STACK_OVERFLOW, "int f(int x) { return f(x + 1) + 1; }\n" + _main("return f(0);")
    ),
    Undefined("longjmp to where nobody was", K.BAD_CALL, "#include <setjmp.h>\njmp_buf j;\n" + _main("longjmp(j, 1);")),
    Undefined(
        "member of a null object is read (C++)",
        K.NULL,
        "struct A { int x; int f() { return x; } };\n" + _main("A *a = zero ? new A : nullptr; return a->f();"),
        "",
        "cpp",
    ),
    Undefined(
        "member function of a null object that looks at none (C++)",
        None,
        "struct A { int f() { return 1; } };\n" + _main("A *a = zero ? new A : nullptr; return a->f();"),
        "only accesses are looked at",
        "cpp",
    ),
    Undefined(
        "pure virtual function (C++)",
        K.ABORT,
        "struct A { A() { g(); } void g() { f(); } virtual void f() = 0; };\nstruct B : A { void f() override {} };\n"
        + _main("B b;"),
        "",
        "cpp",
    ),
    Undefined(
        "element behind the size of a vector (C++)",
        K.UNINITIALISED,
        "#include <vector>\n" + _main("std::vector<int> v; v.reserve(8); v.push_back(1); return v[2 * one];"),
        "",
        "cpp",
    ),
    Undefined(
        "use of an iterator that push_back made invalid (C++)",
        K.USE_AFTER_FREE,
        "#include <vector>\n" + _main("std::vector<int> v{1}; auto i = v.begin(); v.push_back(2); return *i;"),
        "",
        "cpp",
    ),
    Undefined(
        "element behind the size of a span, inside its object (C++)",
        None,
        "#include <span>\n" + _main("int b[4] = {}; std::span<int> s(b, 2); return s[2 * one];"),
        "only objects are looked at, and this is inside one",
        "cpp",
    ),
    Undefined(
        "string_view of a string that is gone (C++)",
        K.USE_AFTER_FREE,
        "#include <string>\n#include <string_view>\n"
        "std::string_view f() { std::string s(40, 'a'); return s; }\n" + _main("return f()[0];"),
        "",
        "cpp",
    ),
    Undefined(
        "assumption of an alignment that is not there",
        None,
        _main("char b[8] = {0}; int *p = __builtin_assume_aligned(b + one, 4); (void)p;"),
        "only accesses are looked at",
    ),
    Undefined(
        "alignment that is no power of two",
        None,
        _main("void *p = aligned_alloc(3 * one, 9); free(p);"),
        "the allocator takes it for the next one",
    ),
    Undefined(
        "mutex that is copied while it is held",
        None,
        _main(
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); pthread_mutex_t n = m; "
            "pthread_mutex_unlock(&n);"
        ),
        "a mutex is known by its contents, and the copy has them",
    ),
    Undefined(
        "mutex that is made anew while it is held",
        None,
        _main(
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); pthread_mutex_init(&m, 0); "
            "pthread_mutex_lock(&m);"
        ),
        "it is made anew",
    ),
    Undefined(
        "key that is deleted",
        None,
        _main("pthread_key_t k; pthread_key_create(&k, 0); pthread_key_delete(k); pthread_setspecific(k, &k);"),
        "a key keeps no note of it",
    ),
    Undefined(
        "sprintf into what it prints",
        None,
        "#include <stdio.h>\n" + _main('char a[16] = "abc"; sprintf(a, "%s%s", a, a);'),
        "it is read as it is written",
    ),
    Undefined(
        "local variable that a function was to fill and did not",
        K.UNINITIALISED,
        "void get(int *p) { if (zero) *p = 1; }\n" + _main("int x; get(&x); if (x) one = 2;"),
    ),
    Undefined(
        "member that no constructor sets (C++)",
        K.UNINITIALISED,
        "struct A { int x, y; A() : x(1) {} int get() { return y; } };\n" + _main("A a; if (a.get()) one = 2;"),
        "",
        "cpp",
    ),
    Undefined(
        "value of an empty optional (C++)",
        K.UNINITIALISED,
        "#include <optional>\n" + _main("std::optional<int> o; if (*o) one = 2;"),
        "",
        "cpp",
    ),
    Undefined(
        "variable argument of another type than it is read as",
        None,
        "#include <stdarg.h>\n"
        "long f(int n, ...) { va_list a; va_start(a, n); long s = va_arg(a, long); va_end(a); return s; }\n"
        + _main("one = (int)f(1, 1.5);"),
        "values are passed alike",
    ),
    Undefined(
        "delete through a base without a virtual destructor (C++)",
        None,
        "struct A { int x = 0; virtual void f() {} };\nstruct B : A { int y[4]; };\n"
        + _main("A *a = new B; delete a;"),
        "the compiler does not say how large what is freed should be",
        "cpp",
    ),
    Undefined(
        "local variable that a thread refers to behind its function's end (C++)",
        None,
        "#include <thread>\n"
        "std::thread f() { int x = 1; return std::thread([&] { one = x; }); }\n" + _main("f().join();"),
        "what others may reach lives as long as its thread",
        "cpp",
    ),
)
