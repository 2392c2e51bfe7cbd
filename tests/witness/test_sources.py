"""Only files that were given, or that the compiler read as a part of them, are ever shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import api
from fencepost.report import html
from fencepost.report.json import verdict_data
from fencepost.witness.sources import sources_of


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    (tmp_path / "elsewhere").mkdir()
    path = tmp_path / "elsewhere" / "secret.h"
    path.write_text("static int number(int *p) { return *p; } /* hunter2 */\n")
    return path


def _shown(source: str, folder: Path, *flags: str) -> str:
    (folder / "work").mkdir()
    path = folder / "work" / "program.c"
    path.write_text(source)
    verdict = api.check(path, flags=flags)
    assert verdict.witness is not None
    return html.render(verdict) + str(verdict_data(verdict)) + str(html.render_witness(verdict.witness))


def test_a_line_directive_proves_nothing(tmp_path: Path, secret: Path) -> None:
    shown = _shown(f'int main(void) {{\n#line 1 "{secret}"\n __builtin_trap(); }}', tmp_path)
    assert "hunter2" not in shown


def test_an_include_from_elsewhere_is_not_shown(tmp_path: Path, secret: Path) -> None:
    assert "hunter2" not in _shown(f'#include "{secret}"\nint main(void) {{ return number(0); }}', tmp_path)


def test_a_link_counts_as_what_it_leads_to(tmp_path: Path, secret: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "link.h").symlink_to(secret)
    path = tmp_path / "work" / "program.c"
    path.write_text('#include "link.h"\nint main(void) { return number(0); }')
    witness = api.check(path).witness
    assert sources_of(witness).lines(str(path))
    assert not sources_of(witness).lines(str(tmp_path / "work" / "link.h"))
    assert not sources_of(witness).lines(str(secret))


@pytest.mark.parametrize("flag", ["-I{}", "-iquote{}", "-isystem{}"])
def test_an_include_from_an_include_path_is_shown(tmp_path: Path, secret: Path, flag: str) -> None:
    source = '#include "secret.h"\nint main(void) { return number(0); }'
    assert "hunter2" in _shown(source, tmp_path, flag.format(secret.parent))


def test_an_include_beside_the_file_is_shown(tmp_path: Path) -> None:
    (tmp_path / "work" / "inner").mkdir(parents=True)
    (tmp_path / "work" / "inner" / "part.h").write_text("static int number(int *p) { return *p; } /* here */\n")
    path = tmp_path / "work" / "program.c"
    path.write_text('#include "inner/part.h"\nint main(void) { return number(0); }')
    assert "here" in html.render(api.check(path))


def test_a_module_of_ir_names_files_that_nobody_read(tmp_path: Path, secret: Path) -> None:
    path = tmp_path / "program.ll"
    path.write_text(
        "define i32 @main() !dbg !2 {\n  call void @llvm.trap(), !dbg !3\n  ret i32 0, !dbg !3\n}\n"
        f'declare void @llvm.trap()\n!0 = !DIFile(filename: "{secret}", directory: "/")\n'
        '!2 = distinct !DISubprogram(name: "main", file: !0, line: 1)\n!3 = !DILocation(line: 1, scope: !2)\n'
    )
    verdict = api.check(path)
    assert verdict.witness is not None and verdict.witness.error.at is not None
    assert "hunter2" not in html.render(verdict)
