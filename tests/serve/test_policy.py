"""No file of the machine can be read through a program or a model of the playground, by either wall."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fencepost.errors import InputError
from fencepost.serve.policy import check_c, check_cat, check_flags
from fencepost.serve.run import run

SECRET = "the-secret-of-this-machine"
LEAKS = [
    '#include "{file}"',
    "#include <{file}>",
    '#include <../../../../../../..{file}>',
    '#include "x/../../../../../../../..{file}"',
    '#define NAME "{file}"\n#include NAME',
    '#inc\\\nlude "{file}"',
    '??=include "{file}"',
    '%:include "{file}"',
    '/**/ # /**/ include /**/ "{file}"',
    '#include_next "{file}"',
    '#import "{file}"',
    '#embed "{file}"',
    'char text[] = {{\n#embed "{file}"\n}};',
    '#if __has_include("{file}")\n#error there\n#endif',
    '#pragma GCC dependency "{file}"',
    '_Pragma("GCC dependency \\"{file}\\"")',
    'const char *s = "/*";\n#include "{file}"\nconst char *t = "*/";',
    '// \\\n\n#include "{file}"',
    '__asm__(".incbin \\"{file}\\"");',
]  # fmt: skip


@pytest.mark.parametrize("text", LEAKS)
def test_c_that_names_a_file_is_refused(text: str) -> None:
    with pytest.raises(InputError) as found:
        check_c(text.format(file="/etc/passwd") + "\nint main(void) { return 0; }\n", "program.c")
    assert found.value.line >= 1 and "/etc/passwd" not in str(found.value)


def test_ordinary_c_is_not_refused() -> None:
    check_c(
        '#include <stdatomic.h>\n# include "pthread.h" // threads\n#define N 3\n'
        "#if defined(N) && __has_attribute(unused)\n"
        "#pragma once\n#line 5\nint import, embed;\n#endif\nint main(void) { return 0; }\n",
        "program.c",
    )


@pytest.mark.parametrize("name", ["/etc/passwd", "../x.cat", "a/b.cat", "x", ""])
def test_models_include_only_what_we_bring(name: str) -> None:
    with pytest.raises(InputError):
        check_cat(f'"mine"\ninclude "{name}"\nacyclic po', "my.cat")
    check_cat('"mine"\ninclude "cos.cat"\nacyclic po', "my.cat")


@pytest.mark.parametrize("flag", ["-I/etc", "-include/etc/passwd", "@/etc/passwd", "-Wp,-I/", "-DN=$(id)", "-o/tmp/x"])
def test_flags_only_define(flag: str) -> None:
    with pytest.raises(InputError):
        check_flags([flag])
    check_flags(["-DN=3", "-UX", "-DFIXED", "-std=c11"])


def answers(**question: Any) -> list[dict[str, Any]]:
    asked = {"action": "check", "language": "c", "models": ["rc11"], "seconds": 10} | question

    async def collect() -> list[dict[str, Any]]:
        return [line async for line in run(asked, seconds=10)]

    return asyncio.run(collect())


def test_a_line_directive_shows_no_file(tmp_path: Path) -> None:
    file = tmp_path / "secret.txt"
    file.write_text(f"{SECRET}\n")
    told = str(answers(text=f'#line 1 "{file}"\nint main(void) {{ int *p = 0; return *p; }}\n'))
    assert SECRET not in told and "FAIL" in told


def test_a_run_ends_with_its_time() -> None:
    endless = "var x\nthread A { while 1 == 1 { x := x + 1 } }\nthread B { while 1 == 1 { x := x + 2 } }\n"
    told = answers(language="fp", text=endless, seconds=1)
    assert any(k in line for line in told for k in ("result", "error")) and "PASS" not in str(told)


CONFINED = """
import sys
from pathlib import Path
from fencepost.serve.confine import confine, readable
folder, secret = Path(sys.argv[1]), Path(sys.argv[2])
if not confine(folder, readable()):
    print("no landlock")
    raise SystemExit
(folder / "own").write_text("mine")
for attempt in (lambda: secret.read_text(), lambda: secret.write_text("x"), lambda: (folder / "link").read_text()):
    try:
        print("read", attempt())
    except PermissionError:
        print("refused")
"""


def test_the_kernel_refuses_what_the_text_may_hide(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "link").symlink_to(secret)
    done = subprocess.run(
        [sys.executable, "-c", CONFINED, str(folder), str(secret)], capture_output=True, text=True, check=True
    )
    if "no landlock" in done.stdout:
        pytest.skip("this kernel has no Landlock")
    assert done.stdout.split() == ["refused"] * 3
