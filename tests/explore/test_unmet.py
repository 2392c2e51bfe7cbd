"""Where something is reached that is not supported, all that is not supported is listed at once."""

from __future__ import annotations

from pathlib import Path

from fencepost import check, read
from fencepost.verdict import Answer

SOURCE = """#include <stdio.h>
int mystery(int), riddle(int);
int main(int argc, char **argv) {
    if (argc > 7) __asm__ volatile("cpuid" ::: "eax", "ebx", "ecx", "edx");
    if (argc > 5) riddle(2);
    return REACHED;
}
"""


def _warnings(tmp_path: Path, reached: str) -> tuple[Answer, list[str]]:
    source = tmp_path / "program.c"
    source.write_text(SOURCE, encoding="utf-8")
    found = check(read(source, flags=[f"-DREACHED={reached}"]), model="rc11")
    return found.answer, [w.removeprefix(f"{source}:") for w in found.warnings]


def test_everything_is_listed_besides_what_was_reached(tmp_path: Path) -> None:
    answer, listed = _warnings(tmp_path, "mystery(3)")
    assert answer is Answer.UNKNOWN
    either = "not supported either, if it is reached"
    assert listed == [
        f'4:19: {either}: the instruction "cpuid" of inline assembly "cpuid"',
        f"5:19: {either}: call to riddle",
    ]


def test_what_nobody_reaches_does_not_matter(tmp_path: Path) -> None:
    assert _warnings(tmp_path, "0") == (Answer.PASS, [])


def test_what_comes_behind_it_in_the_same_block_is_listed(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text("int a(void), b(void), c(void);\nint main(void) {\n  a();\n  b();\n  return c();\n}\n")
    found = check(read(source), model="rc11")
    assert found.answer is Answer.UNKNOWN and "call to a" in found.reason
    assert [w.removeprefix(f"{source}:") for w in found.warnings] == [
        "4:3: not supported either, if it is reached: call to b",
        "5:10: not supported either, if it is reached: call to c",
    ]
