"""What is printed reads back equal; what is broken gets one message with its place."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import programs

from fencepost.errors import InputError
from fencepost.program.instructions import ErrorKind, Fail
from fencepost.program.printer import print_program
from fencepost.program.program import Arch, Function, Program, Thread
from fencepost.program.reader import read_program

SMALL = """program "sb" arch=fp
file 0 "sb.fp"
global x size=8 align=8 type=i64 !0:1:5

function P() registers(%r) {
  %r = load &x mode=acq !0:2:3
  branch %r, L0, L2
 L2:
  return _
 L0:
  jump L2
}

thread P = P()
observe "P:r" = register P r width=64 signed
condition "exists" (and ("P:r" = 1) (x < 2))
"""


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs())
def test_any_program_reads_back_equal(program: Program) -> None:
    text = print_program(program)
    assert read_program(text) == program
    assert print_program(read_program(text)) == text


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_damaged_text_gives_a_message_with_its_place(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(SMALL) - 1))
    length = data.draw(st.integers(0, 12))
    text = SMALL[:start] + data.draw(st.text(max_size=4)) + SMALL[start + length :]
    try:
        read_program(text, "damaged.fpir")
    except InputError as error:
        assert error.line >= 1 and error.column >= 1 and error.message


def test_texts_keep_their_blanks() -> None:
    message = '  two  blanks\tand "quotes"  '
    function = Function("f", (), 0, (Fail(ErrorKind.ABORT, message),))
    program = Program(" p  q ", Arch.C11, (), (function,), (Thread("  ", "f"),))
    assert read_program(print_program(program)) == program


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "<text>:1:1: found the end of the text; expected 'program'"),
        ("hello", "<text>:1:1: found hello; expected 'program'"),
        ('program "a" arch=z80\n', "<text>:1:18: found z80; expected one of fp, c11"),
        ('program "a" arch=fp\nglobal x size=8\n', "<text>:2:16: found the end of the line; expected 'align'"),
        ('program "a" arch=fp\nfunction f() {\n  jump L9\n}\n', "<text>:3:8: found L9; expected a label"),
        ('program "a" arch=fp\nfunction f() {\n  return %r\n}\n', "<text>:3:11: found r; expected a register"),
        ('program "a" arch=fp\nfunction f() {\n  dance\n}\n', "<text>:3:3: found dance; expected an instruction"),
        ('program "a" arch=fp\n\x00', "<text>:2:1: unexpected character '\\x00'"),
    ],
)  # fmt: skip
def test_messages(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_program(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "line", ["global x size=8 align=8 type=" + "[2 x " * 50_000, 'condition "exists" ' + "(not " * 50_000]
)
def test_deep_nesting_is_refused(line: str) -> None:
    with pytest.raises(InputError):
        read_program(f'program "a" arch=fp\n{line}')
