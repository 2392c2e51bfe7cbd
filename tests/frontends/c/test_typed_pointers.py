"""IR whose pointers have types, as clang before 15 writes it, comes to the program that IR without them comes to."""

from __future__ import annotations

from pathlib import Path

from fencepost.frontends import read_file
from fencepost.program.instructions import Alloca, Load
from fencepost.program.program import Program

TYPED = """
%struct.node = type { %struct.node* }
@tail = dso_local global %struct.node* null, align 8
declare void @llvm.lifetime.start.p0i8(i64, i8*)
define dso_local i32 @main() {
  %expected = alloca %struct.node*, align 8
  %i = alloca i32, align 4
  %said = bitcast i32* %i to i8*
  call void @llvm.lifetime.start.p0i8(i64 4, i8* %said)
  store i32 0, i32* %i, align 4
  store %struct.node* null, %struct.node** %expected, align 8
  %cast = bitcast %struct.node** %expected to i64*
  %old = load i64, i64* %cast, align 8
  %done = cmpxchg i64* bitcast (%struct.node** @tail to i64*), i64 %old, i64 0 seq_cst seq_cst
  %n = load i32, i32* %i, align 4
  ret i32 %n
}
"""
PLAIN = """
%struct.node = type { ptr }
@tail = dso_local global ptr null, align 8
declare void @llvm.lifetime.start.p0(i64, ptr)
define dso_local i32 @main() {
  %expected = alloca ptr, align 8
  %i = alloca i32, align 4
  call void @llvm.lifetime.start.p0(i64 4, ptr %i)
  store i32 0, ptr %i, align 4
  store ptr null, ptr %expected, align 8
  %old = load i64, ptr %expected, align 8
  %done = cmpxchg ptr @tail, i64 %old, i64 0 seq_cst seq_cst
  %n = load i32, ptr %i, align 4
  ret i32 %n
}
"""


def read(text: str, folder: Path) -> Program:
    path = folder / "t.ll"
    path.write_text(text)
    return read_file(path)


def test_casts_of_pointers_take_no_address(tmp_path: Path) -> None:
    typed, plain = read(TYPED, tmp_path).function("main"), read(PLAIN, tmp_path).function("main")
    assert not any(isinstance(i, Alloca | Load) for i in typed.code)
    assert [type(i) for i in typed.code] == [type(i) for i in plain.code]
