"""Values that make no difference before the first thread: what is known bit by bit holds for every number, and a PASS
for an unknown byte is one for each of its 256 values."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fencepost import api
from fencepost.program.arithmetic import compute
from fencepost.program.instructions import Op
from fencepost.program.passes.known_bits import Bits, Undecided, bits, joined, known_result
from fencepost.verdict import Answer, Verdict

HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
unsigned __VERIFIER_nondet_uint(void); unsigned char __VERIFIER_nondet_u8(void);
unsigned char __VERIFIER_nondet_uchar(void);
static _Thread_local unsigned seed;
static unsigned most = {most}, sum;
static unsigned height(void) {{
  unsigned level = 1, s = seed;
  s ^= s << 13; s ^= s >> 17; s ^= s << 5;
  seed = s;
  if (s & 0x8001u) return 1;
  while ((s >>= 1) & 1) ++level;
  return level < most - 1 ? level : most - 1;
}}
static void *other(void *p) {{ {thread} return 0; }}
int main(void) {{
  pthread_t t;
  seed = __VERIFIER_nondet_{type}();
  {before}
  pthread_create(&t, 0, other, 0);
  pthread_join(t, 0);
  {after}
  return 0;
}}
"""


def checked(
    folder: Path, *, before: str = "", after: str = "", thread: str = "", most: int = 2, of: str = "uint"
) -> Verdict:
    file = folder / "program.c"
    text = HEAD.format(before=before, after=after, thread=thread, most=most, type=of)
    file.write_text(text, encoding="utf-8")
    return api.check(file)


def test_a_seed_whose_numbers_are_cut_to_one_makes_no_difference(tmp_path: Path) -> None:
    heights = "for (int i = 0; i < 3; i++) { unsigned *p = malloc(4 * height()); *p = i; sum += *p; free(p); }"
    found = checked(tmp_path, before=heights, after="assert(sum == 3);", thread="assert(height() == 1);")
    assert found.answer is Answer.PASS
    assert checked(tmp_path, before=heights, after="assert(sum == 4);").answer is Answer.FAIL
    assert checked(tmp_path, before=heights, most=3).answer is Answer.UNKNOWN  # one and two are different sizes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "assert(height() == 1);"),  # main reads the seed again
        ("if (seed == 77) sum = 1;", ""),
        ("sum = seed & 1;", ""),
        ("unsigned copy = seed;", "assert(copy != 12345);"),
        ("unsigned *p = &seed; sum = 1;", "assert(*p != 12345);"),
        ("assert(height() < seed + 99 || seed);", ""),
        ("if (seed > 9) malloc(1);", ""),
        ("if (height() == 2) __builtin_trap();", ""),
        ("seed = 1u << (seed & 63);", ""),
    ],
)
def test_what_is_looked_at_makes_a_difference(tmp_path: Path, before: str, after: str) -> None:
    assert checked(tmp_path, before=before, after=after, most=4).answer in (Answer.UNKNOWN, Answer.FAIL)


def _statement(rng: random.Random) -> str:
    a, b = rng.choice(["seed", "sum", "most"]), rng.choice(["seed", "most", str(rng.randrange(9))])
    op = rng.choice(["&", "|", "^", "+", "-", "*"])
    shift = rng.choice([f"seed = seed {rng.choice(['<<', '>>'])} {rng.randrange(1, 6)};", "seed = 0;"])
    test = rng.choice(["<", "==", "&", "!="])
    return rng.choice(
        [
            f"seed = {a} {op} {b};",
            shift,
            f"sum = f({a} {test} {b}, {rng.randrange(3)}, {rng.randrange(3)});",
            f"sum = g({a} {op} {b}) & {rng.choice([1, 3, 8, 256])};",
        ]
    )


def test_a_pass_is_one_for_every_byte(tmp_path: Path) -> None:
    rng = random.Random(11)
    helpers = (
        "static unsigned f(int c, unsigned a, unsigned b) { if (c) return a; return b; }"
        "static unsigned g(unsigned v) { unsigned n = 0; while (v) { v >>= 1; n++; } return n < 2 ? n : 2; }\n"
    )
    passed = 0
    for _ in range(14):
        before = " ".join(_statement(rng) for _ in range(rng.randrange(1, 5)))
        program = HEAD.replace("int main", helpers.replace("{", "{{").replace("}", "}}") + "int main")
        after = f"assert(sum {rng.choice(['==', '!=', '<'])} {rng.randrange(4)});"
        answers = []
        for of in ("u8", "uchar"):
            file = tmp_path / f"{of}.c"
            text = program.format(before=before, after=after, thread="", most=4, type=of)
            file.write_text(text, encoding="utf-8")
            answers.append(api.check(file).answer)
        passed += answers[0] is Answer.PASS
        assert answers[0] in (answers[1], Answer.UNKNOWN), before + after
    assert passed >= 2


_OPS = [Op.AND, Op.OR, Op.XOR, Op.SHL, Op.LSHR, Op.EQ, Op.NE, Op.ULT, Op.ULE, Op.UGT, Op.UGE, Op.SLT, Op.SLE, Op.SGT,
        Op.SGE, Op.ADD, Op.SUB, Op.MUL]  # fmt: skip


def _holds(number: int | Bits, value: int) -> bool:
    return number == value if isinstance(number, int) else value & ~number.unknown == number.value


def test_what_is_known_holds_for_every_number() -> None:
    rng = random.Random(5)
    decided = 0
    for _ in range(4000):
        width = rng.choice([1, 8, 32, 64])
        op = rng.choice([*_OPS, Op.MOV, Op.SEXT, Op.SELECT])
        count = {Op.MOV: 1, Op.SEXT: 1, Op.SELECT: 3}.get(op, 2)
        exact = [rng.getrandbits(64) & rng.getrandbits(64) for _ in range(count)]
        unknown = [rng.getrandbits(64) & rng.getrandbits(64) & rng.choice([0, (1 << 64) - 1]) for _ in exact]
        try:
            found = known_result(op, width, tuple(bits(e & ~u, u) for e, u in zip(exact, unknown, strict=True)))
        except Undecided:
            continue
        decided += 1
        for _ in range(3):
            values = tuple((e & ~u) | (rng.getrandbits(64) & u) for e, u in zip(exact, unknown, strict=True))
            assert _holds(found, compute(op, width, values)), (op, width, values)
    assert decided > 3000
    assert _holds(joined(5, 4), 5) and _holds(joined(5, 4), 4)


def test_what_is_not_known_decides_nothing() -> None:
    number = Bits(0, 6)
    for use in (bool, int, hash, lambda n: n == 1, lambda n: n < 3, lambda n: n + 1, lambda n: [0][n]):
        with pytest.raises(Undecided):
            use(number)
