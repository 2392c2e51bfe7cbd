"""Values of a wide type: few of them stand for all where the program only compares or masks them; a range of the user
is a bound of the verdict; without one the answer is UNKNOWN. Judged by trying every value of a narrow twin."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fencepost import api
from fencepost.errors import UsageError
from fencepost.reasons import Code
from fencepost.verdict import Answer, Verdict

HEAD = """#include <assert.h>
int __VERIFIER_nondet_int(void); unsigned __VERIFIER_nondet_uint(void); long __VERIFIER_nondet_long(void);
signed char __VERIFIER_nondet_char(void); unsigned char __VERIFIER_nondet_uchar(void);
unsigned char __VERIFIER_nondet_u8(void);
int main(void) {
"""


def checked(tmp_path: Path, body: str, **options: object) -> Verdict:
    file = tmp_path / "program.c"
    file.write_text(HEAD + body + "\nreturn 0;\n}\n", encoding="utf-8")
    return api.check(file, **options)


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("int x = __VERIFIER_nondet_int(); assert(x != 2147483647);", Answer.FAIL),
        ("int x = __VERIFIER_nondet_int(); assert(x <= 2147483647);", Answer.PASS),
        ("int x = __VERIFIER_nondet_int(); if (x > 99) assert(x != 100);", Answer.FAIL),
        ("int x = __VERIFIER_nondet_int(); if (x > 99 && x < 101) assert(x == 100);", Answer.PASS),
        ("unsigned x = __VERIFIER_nondet_uint(); assert(x < 4000000000u);", Answer.FAIL),
        ("unsigned x = __VERIFIER_nondet_uint(); if (x > 3000000000u) assert((int)x < 0);", Answer.PASS),
        ("unsigned x = __VERIFIER_nondet_uint() % 5; assert(x < 5);", Answer.PASS),
        ("unsigned x = __VERIFIER_nondet_uint() & 7; assert(x != 6);", Answer.FAIL),
        ("long x = __VERIFIER_nondet_long(); assert(x != -9223372036854775807L - 1);", Answer.FAIL),
        ("(void)__VERIFIER_nondet_int();", Answer.PASS),
    ],
)
def test_few_values_stand_for_all(tmp_path: Path, body: str, answer: Answer) -> None:
    assert checked(tmp_path, body).answer is answer


@pytest.mark.parametrize(
    "body",
    [
        "unsigned x = __VERIFIER_nondet_uint(); assert(x + x != 8);",
        "int x = __VERIFIER_nondet_int(); if (x > 1000) assert((signed char)x != 5);",
        "unsigned x = __VERIFIER_nondet_uint(); if (x % 3 == 1) assert(x % 5 != 2);",
        "unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(); assert(x - y != 5);",
        "int a[4] = {0}; int x = __VERIFIER_nondet_int(); a[x & 3] = x; assert(a[0] != 8);",
    ],
)
def test_what_depends_on_more_is_not_passed(tmp_path: Path, body: str) -> None:
    found = checked(tmp_path, body)
    assert found.answer is Answer.UNKNOWN and found.reasons[0].code is Code.UNSUPPORTED
    assert checked(tmp_path, body, nondet="9..12").answer in (Answer.BOUNDED, Answer.FAIL)


@pytest.mark.parametrize(
    "body",
    [
        "int x = __VERIFIER_nondet_int(); x = x < 0 ? x * -1 : x; assert(x % 3 < 3);",  # INT_MIN
        "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); assert(x != y);",
        "unsigned x = __VERIFIER_nondet_uint(); assert(x + 1 > x);",
        "long x = __VERIFIER_nondet_long(); assert(x * 2 != 2);",
    ],
)
def test_the_ends_of_a_type_are_tried(tmp_path: Path, body: str) -> None:
    assert checked(tmp_path, body).answer is Answer.FAIL


def test_a_range_and_a_seed_bound_the_verdict(tmp_path: Path) -> None:
    body = "int x = __VERIFIER_nondet_int(); assert(x * 3 != 60);"
    within = checked(tmp_path, body, nondet="-3..9")
    assert within.answer is Answer.BOUNDED and within.reasons[0].at is not None
    assert checked(tmp_path, body, nondet="0..20").answer is Answer.FAIL
    seeded = checked(tmp_path, "int x = __VERIFIER_nondet_int(); assert((x ^ 1) != x);", nondet_seed=4)
    assert seeded.answer is Answer.BOUNDED


@pytest.mark.parametrize("text", ["", "5", "9..3", "a..b", "0..99999999999999999999"])
def test_a_bad_range_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="nondet"):
        checked(tmp_path, "", nondet=text)


def test_representatives_of_a_byte_agree_with_all_its_values(tmp_path: Path) -> None:
    """`u8` is open, `uchar` tries all 256 values."""
    rng = random.Random(7)
    for _ in range(12):
        conditions = [f"x {rng.choice(['<', '<=', '==', '!=', '>', '>='])} {rng.randrange(-2, 258)}" for _ in range(3)]
        body = f"assert(!({conditions[0]} && {conditions[1]} && {conditions[2]}));"
        few, all_ = (
            checked(tmp_path, f"unsigned char x = __VERIFIER_nondet_{t}(); {body}").answer for t in ("u8", "uchar")
        )
        assert few in (all_, Answer.UNKNOWN), body


@pytest.mark.parametrize(
    "compared", ["c == -3", "c < 100", "(unsigned)c > 4294967290u", "(short)c < -100", "c != 200", "(c & 3) == 1"]
)
@pytest.mark.parametrize("kind", ["char", "uchar"])
def test_a_narrow_value_counts_as_all_its_values(tmp_path: Path, compared: str, kind: str) -> None:
    """Few of them are tried; which ways there are is what trying all of them says."""
    type_ = {"char": "signed char", "uchar": "unsigned char"}[kind]
    low, high = {"char": (-128, 127), "uchar": (0, 255)}[kind]
    ways = {}
    for value in (f"__VERIFIER_nondet_{kind}()", f"({type_})fencepost_choose({low}, {high})"):
        for holds in ("", "!"):
            body = f"{type_} c = {value}; assert({holds}({compared}));"
            file = tmp_path / "program.c"
            file.write_text("#include <fencepost.h>\n" + HEAD + body + "}\n", encoding="utf-8")
            found = api.check(file)
            ways.setdefault(value, []).append(found.answer)
    few, every = ways.values()
    assert few == every
