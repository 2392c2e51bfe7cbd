"""The snippets of docs/ci.md for Meson and Bazel, the settings of packages, and Markdown for summaries."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

import fencepost
from fencepost.report import markdown, sarif

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
COMMAND = Path(sys.executable).parent / "fencepost"
GOOD = "int x;\nint main(void) { x = 1; return x - 1; }\n"
BUFFERING = "var x, y\nthread A { x := 1; r := y }\nthread B { y := 1; r := x }\nforall (A:r == 1 || B:r == 1)\n"
ENVIRONMENT = os.environ | {"PATH": f"{COMMAND.parent}:{os.environ['PATH']}"}


def snippet(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)
    assert found is not None
    return found.group(1)


@pytest.mark.skipif(not shutil.which("meson") or not COMMAND.exists(), reason="meson is not installed")
def test_meson(tmp_path: Path) -> None:
    (tmp_path / "queue_test.c").write_text(GOOD)
    (tmp_path / "meson.build").write_text(f"project('p')\n{snippet('meson')}")
    for command in (["meson", "setup", "build"], ["meson", "test", "-C", "build"]):
        done = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"queue\s+OK", done.stdout), done.stdout


@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not installed")
def test_bazel(tmp_path: Path) -> None:
    """Bazel itself is not here: its rule is read, and what it would run is run."""
    (call,) = (n.value for n in ast.parse(snippet("python")).body if isinstance(n, ast.Expr))
    assert isinstance(call, ast.Call)
    given = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    assert given["data"] == ["queue_test.c"]
    (tmp_path / "queue_test.c").write_text(GOOD)
    (tmp_path / "fencepost_check.sh").write_text('#!/bin/sh\nexec fencepost check "$@"\n')
    words = [w.replace("$(location queue_test.c)", "queue_test.c") for w in given["args"]]
    done = subprocess.run(["sh", *given["srcs"], *words], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 0 and "PASS" in done.stdout, done.stderr


@pytest.mark.source
def test_the_settings_for_wheels_name_every_system() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    wheels = settings["cibuildwheel"]
    assert wheels["linux"]["manylinux-x86_64-image"] and wheels["linux"]["musllinux-x86_64-image"]
    assert {"x86_64", "arm64"} == set(wheels["macos"]["archs"]) and wheels["windows"]["archs"] == ["AMD64"]
    files = [word for line in wheels["test-command"] for word in line.split() if word.startswith("{project}/")]
    assert files and all((ROOT / f.removeprefix("{project}/")).exists() for f in files)
    assert not {"tests", "docs", "examples"} & set(settings["scikit-build"]["sdist"]["exclude"])
    recipe = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    assert "fencepost.cli:main" in recipe and "../../src/fencepost/_version.py" in recipe


@pytest.mark.source
def test_the_recipe_for_conda_asks_for_what_the_package_asks_for() -> None:
    """Rendered as conda does it, as far as the recipe goes."""
    yaml, jinja = pytest.importorskip("yaml"), pytest.importorskip("jinja2")
    text = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    version = SimpleNamespace(group=lambda n: "1.2.3")
    names = {"load_file_regex": lambda **_: version, "compiler": lambda name: f"{name}-compiler", "PYTHON": "python"}
    recipe = yaml.safe_load(jinja.Template(text).render(**names))
    assert recipe["package"] == {"name": "fencepost", "version": "1.2.3"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    elsewhere = {"bitwuzla", "ziglang"}  # conda has clang, and no bitwuzla
    wanted = {
        d.replace(">=", " >=") for d in project["project"]["dependencies"] if re.split(">=", d)[0] not in elsewhere
    }
    assert wanted | {f"python {project['project']['requires-python']}"} <= set(recipe["requirements"]["run"])
    backend = {d.replace(">=", " >=") for d in project["build-system"]["requires"]}
    assert backend <= set(recipe["requirements"]["host"])
    assert all(
        (ROOT / "packaging" / "conda" / recipe["source"]["path"] / f).exists() for f in recipe["test"]["source_files"]
    )


def test_a_finding_is_the_same_when_lines_move() -> None:
    def prints(text: str, model: str = "tso") -> dict[str, str]:
        (result,) = sarif.log([fencepost.check(text, model=model)])["runs"][0]["results"]
        found: dict[str, str] = result["partialFingerprints"]
        return found

    assert prints(BUFFERING) == prints(f"// a comment\n\n{BUFFERING}")
    assert prints(BUFFERING) != prints(BUFFERING, "pso")


def test_markdown_has_the_picture_and_no_markup_of_the_program() -> None:
    text = markdown.render(fencepost.check(BUFFERING, model="tso"), title="a|b_c.fp")
    assert text.startswith("### ❌ a\\|b\\_c.fp: FAIL") and "**fix** store to x" in text
    picture = re.search(r"```mermaid\n(.*?)```", text, re.S)
    assert picture is not None
    lines = picture.group(1).splitlines()
    assert lines[:3] == ["sequenceDiagram", "  participant T0 as A", "  participant T1 as B"]
    assert any(line.startswith("  Note over T1: 4. reads x = 0<br/>from the initial value") for line in lines), lines
    passed = markdown.render(fencepost.check(BUFFERING, model="sc"))
    assert passed.startswith("### ✅ PASS") and "mermaid" not in passed


def test_an_arrow_for_a_value_of_another_thread() -> None:
    program = "var x\nthread A { x := 1 }\nthread B { r := x; assert(r == 0) }\n"
    assert "  T0->>T1: 2. reads x = 1<br/>from step 1" in markdown.render(fencepost.check(program, model="sc"))


@pytest.mark.slow
@pytest.mark.source
def test_the_wheel_in_a_fresh_environment(tmp_path: Path) -> None:
    """README's commands, outside the checkout, with no clang on PATH. Slow: it compiles the core."""
    pip = [sys.executable, "-m", "pip"]
    subprocess.run([*pip, "wheel", "-q", "--no-deps", "-w", str(tmp_path), str(ROOT)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    place = tmp_path / "venv" / "bin"
    subprocess.run([place / "pip", "install", "-q", str(wheel)], check=True)
    shutil.copytree(ROOT / "docs" / "examples", tmp_path / "work")
    for file, code in (("mp.c", 1), ("mp-fixed.c", 0), ("mp.fp", 1)):
        command = [place / "fencepost", "check", file]
        done = subprocess.run(command, cwd=tmp_path / "work", env={"PATH": str(place), "HOME": str(tmp_path)})
        assert done.returncode == code
