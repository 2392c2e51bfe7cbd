"""Programs close to undefined behaviour that do nothing wrong: what nobody has written is copied, moved and masked, and
nothing depends on it; variables are used in their blocks; what new gives goes to delete."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import api
from fencepost.verdict import Answer

_HEAD = (
    "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/time.h>\n"
)
C = {
    "copies of structs with gaps": (
        "struct p { char c; int i; }; static int sum(struct p p) { return p.c + p.i; }\n"
        "int main(void) { struct p a; a.c = 1; a.i = 2; struct p b = a, d; memcpy(&d, &b, sizeof d);\n"
        "struct p *h = malloc(sizeof *h); *h = d; struct p e = *h; free(h); if (sum(e) != 3) return 1; }"
    ),
    "bit-fields beside others": (
        "struct f { unsigned a : 3, b : 5, c : 10; }; int main(void) { struct f f; f.a = 1; struct f g = f; f.c = 3;\n"
        "if (f.a != 1 || f.c != 3 || g.a != 1) return 1; f.b = 2; if (f.b != 2) return 2; }"
    ),
    "one member of a union": (
        "struct t { int tag; union { int i; double d; } u; };\n"
        "int main(void) { struct t a, b; a.tag = 0; a.u.i = 3; b = a; if (b.tag == 0 && b.u.i != 3) return 1; }"
    ),
    "a result that says whether the rest counts": (
        "struct r { int ok, value; };\n"
        "static struct r get(int k) { struct r x; x.ok = k; if (k) x.value = 2; return x; }\n"
        "int main(void) { struct r x = get(0), y = get(1); if (x.ok && x.value) return 1; return y.value - 2; }"
    ),
    "bits that are masked away": (
        "int main(void) { unsigned x, *p = &x; *p &= 0; if (x) return 1; unsigned y; p = &y; *p |= ~0u;\n"
        "if (!y) return 2; unsigned z; p = &z; unsigned low = (*p & 0) | 5; return low - 5; }"
    ),
    "an exchange of a struct with gaps": (
        "typedef struct { int a; char b; } pair; int main(void) { _Atomic pair p; pair x, y; x.a = 1; x.b = 2;\n"
        "atomic_store(&p, x); y = atomic_load(&p); atomic_compare_exchange_strong(&p, &y, x); return y.a - 1; }"
    ),
    "what a function of the library gives": (
        "int main(void) { struct timeval v; gettimeofday(&v, 0); if (v.tv_sec > 5 && v.tv_usec) return 1; time_t t;\n"
        "time(&t); if (t > 5) return 1; int old; pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old); return old; }"
    ),
    "a variable of a block that is entered again": (
        "int main(void) { int *p = 0; for (int i = 0; i < 3; i++) { int x = i; p = &x; if (*p != i) return 1; }\n"
        "int y = 4; p = &y; return *p - 4; }"
    ),
    "a list through blocks that nest": (
        "struct n { struct n *next; int v; }; int main(void) { struct n a = {0, 1}, *h = &a;\n"
        "{ struct n b = {h, 2}; h = &b; int s = 0; for (struct n *p = h; p; p = p->next) s += p->v;\n"
        "if (s != 3) return 1; h = h->next; } return h->v - 1; }"
    ),
    "a goto out of a block and into it again": (
        "int main(void) { int i = 0, *p; again: { int x; p = &x; *p = i++; if (i < 3) goto again; return *p - 2; } }"
    ),
}  # fmt: skip
CXX = {
    "what new gives goes to delete": (
        "#include <memory>\n#include <new>\n#include <vector>\n"
        "struct alignas(64) O { char c; };\n"
        "int main() { std::unique_ptr<int[]> p(new int[3]); auto o = new O; delete o;\n"
        "auto all = new O[2]; delete[] all; auto n = new (std::nothrow) int; delete n; void *m = operator new(8);\n"
        "operator delete(m); std::vector<int> v(3); std::shared_ptr<int> s(new int(1)); }"
    ),
    "copies of what is empty, and temporaries in loops": (
        "#include <functional>\n#include <optional>\n#include <string>\n"
        "int main() { std::optional<int> a, b; b = a; if (b) return 1; a = 3; b = a; if (*b != 3) return 2;\n"
        "for (int i = 0; i < 2; i++) { std::string s = std::string(20, 'a') + std::to_string(i);\n"
        "std::function<int()> f = [&] { return i; }; if (f() != i || s.size() != 21) return 3;\n"
        "for (int k : {1, 2}) if (k > 2) return 4; } }"
    ),
}


@pytest.mark.parametrize("what", C)
def test_c(what: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(_HEAD + C[what] + "\n")
    verdict = api.check(path)
    assert verdict.answer is Answer.PASS, verdict.reason or verdict.errors


@pytest.mark.parametrize("what", CXX)
def test_cxx(what: str, tmp_path: Path) -> None:
    path = tmp_path / "program.cpp"
    path.write_text(CXX[what] + "\n")
    verdict = api.check(path)
    assert verdict.answer is Answer.PASS, verdict.reason or verdict.errors


@pytest.mark.parametrize("model", ["sc", "tso", "ra", "rc11", "imm", "armv8", "power", "riscv"])
def test_under_every_model(model: str, tmp_path: Path) -> None:
    """What depends on memory that nobody has written is found while other threads run, and its copies are let be."""
    path = tmp_path / "program.c"
    text = (
        "atomic_int x; struct s { int a, b; }; static void *run(void *p) { atomic_fetch_add(&x, 1); return p; }\n"
        "int main(void) { pthread_t t; struct s v, w; v.a = 1; pthread_create(&t, 0, run, 0); w = v;\n"
        "if (atomic_load(&x) && w.%s == 7) return 1; pthread_join(t, 0); }\n"
    )
    path.write_text(_HEAD + text % "b")
    assert [e.kind.value for e in api.check(path, model=model).errors] == ["uninitialised-read"]
    path.write_text(_HEAD + text % "a")
    assert api.check(path, model=model).answer is Answer.PASS


def test_what_is_ignored_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text("int main(void) { int x[2]; int *p = x; x[0] = 1; if (p[1]) return 1; }\n")
    assert api.check(path).answer is Answer.FAIL
    assert api.check(path, ignore=["uninitialised-read"]).answer is Answer.PASS
