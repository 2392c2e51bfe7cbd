"""C and C++ programs that check themselves, through the plain machine and the core; and the ways into the front end."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from fencepost import api
from fencepost.errors import InputError, UsageError
from fencepost.frontends.c import compile as compiling
from fencepost.frontends.c import read_ir
from fencepost.frontends.c.compile import find_compiler, to_ir
from fencepost.program.instructions import Await, BlockingCas, ErrorKind, Fence, FenceKind, Print
from fencepost.program.passes.synchronisation import lower_synchronisation
from fencepost.program.printer import print_program
from fencepost.program.program import Program
from fencepost.program.reader import read_program
from fencepost.verdict import Answer
from interleave import interleave

FOLDER = Path(__file__).parent / "programs"
SELF_CHECKING = (
    "arithmetic.c",
    "control.c",
    "library.c",
    "memory.c",
    "strings.c",
    "posix.c",
    "wide.c",
    "jumps.c",
    "floats.c",
    "threads.cpp",
    "standard.cpp",
    "containers.cpp",
    "exceptions.cpp",
    "futures.cpp",
    "waiting.cpp",
    "barrier.cpp",
    "values.cpp",
)
COMPILERS = ["zig", *(["clang"] if shutil.which("clang") else [])]


@pytest.fixture(params=COMPILERS)
def compiler(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("FENCEPOST_CLANG", request.param)
    find_compiler.cache_clear()
    request.addfinalizer(find_compiler.cache_clear)
    return str(request.param)


def program(tmp_path: Path, text: str, name: str = "program.c", *flags: str) -> Program:
    path = tmp_path / name
    path.write_text(text)
    return api.read(path, flags=flags)


#: libc++'s stop_token takes a lock by a weak exchange in a loop that is not shown to do nothing but try again.
MAY_BE_BOUNDED = {"waiting.cpp": (Answer.BOUNDED,)}
RUNS = [(name, model) for name in SELF_CHECKING for model in ("sc", "rc11") if model == "rc11" or name.endswith(".c")]


@pytest.mark.parametrize(("name", "model"), RUNS)
def test_programs_that_check_themselves(name: str, model: str, compiler: str) -> None:
    verdict = api.check(FOLDER / name, model=model)
    assert verdict.answer in (Answer.PASS, *MAY_BE_BOUNDED.get(name, ())), verdict.reason
    assert verdict.executions >= 1


@pytest.mark.parametrize(
    "name", ["arithmetic.c", "control.c", "library.c", "memory.c", "wide.c", "jumps.c", "floats.c"]
)
def test_the_plain_machine_agrees(name: str) -> None:
    out = interleave(lower_synchronisation(api.read(FOLDER / name)))
    assert out.results == {(0,)} and not out.errors and not out.stuck


@pytest.mark.parametrize("name", [name for name in SELF_CHECKING if name.endswith(".c")] + ["threads.cpp"])
def test_programs_print_and_read_back(name: str) -> None:
    made = api.read(FOLDER / name)
    assert read_program(print_program(made)) == made


def test_a_race_in_cpp_names_both_lines(compiler: str) -> None:
    verdict = api.check(FOLDER / "counter_race.cpp")
    assert verdict.answer is Answer.FAIL and verdict.errors[0].kind is ErrorKind.RACE
    assert verdict.witness is not None
    lines = {verdict.witness.execution.events[e].at.line for e in verdict.errors[0].events}  # type: ignore[union-attr]
    assert lines == {4, 5}


def test_flags_reach_the_compiler(tmp_path: Path) -> None:
    text = "#include <assert.h>\nint main(void) { assert(N == 3); }\n"
    (tmp_path / "p.c").write_text(text)
    assert api.check(tmp_path / "p.c", flags=["-DN=3"]).answer is Answer.PASS
    assert api.check(tmp_path / "p.c", flags=["-DN=4"]).answer is Answer.FAIL


PARTS = {
    "main.c": "int twice(int);\nextern int base;\nint main(void) { return twice(base); }\n",
    "part.c": "int base = 21;\nstatic int helper(int x) { return x; }\nint twice(int x) { return helper(x) * 2; }\n",
}


def test_several_files_are_linked(tmp_path: Path, compiler: str) -> None:
    for name, text in PARTS.items():
        (tmp_path / name).write_text(text)
    made = api.read([tmp_path / name for name in PARTS])
    assert interleave(made).results == {(42,)}


def test_linking_twice_the_same_function_is_refused(tmp_path: Path) -> None:
    for name in ("a.c", "b.c"):
        (tmp_path / name).write_text("int main(void) { return 0; }\n")
    with pytest.raises(InputError, match="cannot be linked: another file defines main, too"):
        api.read([tmp_path / "a.c", tmp_path / "b.c"])


def test_ir_and_bitcode_are_read_directly(tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    source.write_text("int main(void) { return 42; }\n")
    (tmp_path / "p.ll").write_text(to_ir([source], ()).text)
    assert interleave(api.read(tmp_path / "p.ll")).results == {(42,)}
    from llvmlite import binding

    (tmp_path / "p.bc").write_bytes(binding.parse_assembly((tmp_path / "p.ll").read_text()).as_bitcode())
    assert interleave(api.read(tmp_path / "p.bc")).results == {(42,)}


def test_rust_comes_in_as_ir(tmp_path: Path) -> None:
    rustc = shutil.which("rustc")
    if rustc is None:
        pytest.skip("needs rustc")
    (tmp_path / "p.rs").write_text("#![no_main]\n#[no_mangle]\npub extern \"C\" fn main() -> i32 { let mut s = 0;"
                                   " let mut i = 0; while i < 4 { s += i; i += 1; } s }\n")  # fmt: skip
    call = [rustc, "--emit=llvm-ir", "-Copt-level=0", "-Cpanic=abort", "-Coverflow-checks=off",
            "--crate-type=staticlib", "-o", str(tmp_path / "p.ll"), str(tmp_path / "p.rs")]  # fmt: skip
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"rustc: {done.stderr[-200:]}")
    assert interleave(api.read(tmp_path / "p.ll")).results == {(6,)}


def test_what_is_printed_keeps_its_format(tmp_path: Path) -> None:
    made = program(tmp_path, '#include <stdio.h>\nint main(void) { printf("%d of %s\\n", 3, "ten%"); puts("done"); }\n')
    shown = [i for f in made.functions for i in f.code if isinstance(i, Print)]
    assert [i.format for i in shown] == ["%d of ten%%\n", "done\n"]


def test_output_is_formatted(tmp_path: Path) -> None:
    text = '#include <stdio.h>\nint main(void) { printf("%d of %5.2f%%, ", -3, 2.5); printf("%s %c\\n", "ten", 65); }\n'
    assert interleave(program(tmp_path, text)).outputs == {("-3 of  2.50%, ", "ten A\n")}


def test_a_time_limit_is_no_deadlock(tmp_path: Path) -> None:
    text = """#include <pthread.h>
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    int main(void) { struct timespec t = {0, 0}; pthread_mutex_lock(&m);
      int r = pthread_cond_timedwait(&c, &m, &t); pthread_mutex_unlock(&m); return r; }"""
    assert api.check(program(tmp_path, text)).answer is Answer.PASS
    assert interleave(lower_synchronisation(program(tmp_path, text))).results == {(110,)}


def test_bit_fields_of_fresh_memory_may_be_set(tmp_path: Path) -> None:
    text = """#include <stdlib.h>
    struct s { unsigned a : 3, b : 5; int c : 9; };
    int main(void) { struct s *p = malloc(sizeof *p); p->a = 1; p->b = 7; p->c = -3;
      int ok = p->a == 1 && p->b == 7 && p->c == -3; free(p); return ok; }"""
    made = program(tmp_path, text)
    assert interleave(made).results == {(1,)} and api.check(made).answer is Answer.PASS


def test_inline_assembly_fences(tmp_path: Path) -> None:
    words = {
        "mfence": FenceKind.MFENCE, "lwsync": FenceKind.LWSYNC, "dmb ish": FenceKind.DMB_SY,
        "dmb ishst": FenceKind.DMB_ST, "isb": FenceKind.ISB, "fence rw,w": FenceKind.FENCE_RW_W, "sync": FenceKind.SYNC,
        "lock; addl $$0,0(%%rsp)": FenceKind.MFENCE,
    }  # fmt: skip
    text = "define i32 @main() {\n" + "".join(
        f'  call void asm sideeffect "{w.replace("%%", "%")}", "~{{memory}}"()\n' for w in words
    )
    made = read_ir(text + '  call void asm sideeffect "", "~{memory}"()\n  ret i32 0\n}\n')
    found = [i.kind for f in made.functions for i in f.code if isinstance(i, Fence)]
    assert found == list(words.values())


def test_waiting_loops_in_c_become_awaits() -> None:
    from fencepost.program.passes.spin import find_spins

    root = Path(__file__).parents[3] / "benchmarks" / "algorithms"
    expected = {"patterns/message_passing.c": Await, "locks/ticket.c": Await, "locks/tas.c": BlockingCas,
                "locks/cas_lock.c": BlockingCas, "locks/clh.c": Await}  # fmt: skip
    for name, kind in expected.items():
        made = find_spins(api.read(root / name))
        assert any(isinstance(i, kind) for f in made.functions for i in f.code), name


def test_a_spin_that_nobody_ends_is_a_liveness_violation(tmp_path: Path) -> None:
    text = "#include <stdatomic.h>\natomic_int x, y;\nint main(void) {\n  while (!x || !y) { }\n}\n"
    (tmp_path / "p.c").write_text(text)
    verdict = api.check(tmp_path / "p.c")
    assert verdict.answer is Answer.FAIL and verdict.errors[0].kind in (ErrorKind.LIVENESS, ErrorKind.DEADLOCK)
    assert verdict.errors[0].at is not None and verdict.errors[0].at.line == 4


def test_an_unknown_compiler_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FENCEPOST_CLANG", "no-such-clang")
    find_compiler.cache_clear()
    (tmp_path / "p.c").write_text("int main(void) { return 0; }\n")
    with pytest.raises(UsageError, match="no-such-clang"):
        api.read(tmp_path / "p.c")
    find_compiler.cache_clear()


def test_the_header_is_found_and_complete(tmp_path: Path) -> None:
    from fencepost.frontends.c.library.table import library

    header = (compiling.INCLUDE / "fencepost.h").read_text()
    declared = {w.split("(")[0].split()[-1] for w in header.splitlines() if w.endswith(");") and "#define" not in w}
    assert declared and declared <= set(library())
    made = program(tmp_path, "#include <fencepost.h>\nint main(void) { int c = fencepost_choose(1, 3);"
                             " fencepost_assume(c != 2); return c; }\n")  # fmt: skip
    assert interleave(made).results == {(1,), (3,)}


def test_bounds_of_single_loops(tmp_path: Path) -> None:
    text = "int spin(int n) {\n  while (n > 0) n--;\n  return n;\n}\nint main(void) {\n  return spin(5);\n}\n"
    (tmp_path / "p.c").write_text(text)
    assert api.check(tmp_path / "p.c").answer is Answer.PASS
    assert api.check(tmp_path / "p.c", unroll=4).answer is Answer.UNKNOWN
    assert api.check(tmp_path / "p.c", unroll=4, loop_bound=("spin=5",)).answer is Answer.PASS
    assert api.check(tmp_path / "p.c", loop_bound=("p.c:2=4",)).answer is Answer.UNKNOWN
    with pytest.raises(UsageError, match="FILE:LINE=N"):
        api.check(tmp_path / "p.c", loop_bound=("p.c:2",))


def test_ir_in_the_style_of_rustc() -> None:
    verdict = api.check(FOLDER / "rust.ll", reductions=False)
    assert (verdict.answer, verdict.executions) == (Answer.PASS, 2)


def test_structs_of_one_size_are_not_taken_for_each_other(tmp_path: Path, compiler: str) -> None:
    text = """struct gap { float f; unsigned long n; } unused = {1, 2};
    struct pair { unsigned long a, b; } x = {1ul << 40, 7}, y;
    static void copy(struct pair *to, struct pair *from) { *to = *from; }
    int main(void) { copy(&y, &x); return y.a == x.a && y.b == 7 && unused.n == 2; }"""
    assert interleave(program(tmp_path, text)).results == {(1,)}
