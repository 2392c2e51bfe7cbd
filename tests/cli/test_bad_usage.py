"""Every mistake a user is likely to make is answered with what is wrong and what to do; the messages are golden."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import model_names
from fencepost.cli import VERBS, run
from fencepost.program.instructions import BOUNDS, ErrorKind
from fencepost.verdict import ExitCode
from golden import assert_golden

KINDS = [kind.value for kind in ErrorKind if kind not in BOUNDS]
GOLDEN = Path(__file__).with_name("bad_usage.txt")
FILES = {
    "good.fp": "const N = 1\nvar x\nthread A { x := 1 }\nthread B { r := x; assert(r <= N) }\n",
    "loop.fp": "var x\nthread A { while x == 0 { x := 2 } }\n",
    "bad.fp": "var x\nthread A { x = 1 }\n",
    "empty.fp": "",
    "two.fp": "var x\nthread A { x := y }\n",
    "notes.txt": "hello\n",
    "ownline.fp": "// fencepost: unroll=few\nvar x\nthread A { x := 1 }\n",
    "binary.fp": "\x00\x01",
    "bad.litmus": "X86 SB\n{}\n P0 ;\n HLT ;\nexists (0:EAX=1)\n",
    "no.litmus": "hello\n",
    "bad.cat": "let a = (po | rf\n",
    "unknown.cat": "acyclic nonsense\n",
    "bad.json": "{",
    "result.json": '{"schema": "fencepost/verdict/1"}',
    "list.json": "[1, 2]",
    "other.json": '{"a": 1}',
    "queue.h": "static int size;\n",
    "compile_commands.json": "[{}]",
}
#: What is typed. `{latin}` stands for a file that is no UTF-8, `{nothing}` for an empty word.
USAGES = """
chek good.fp
chekc
--modle sc
help nothing
check
check good.fp --modle sc
check good.fp --colour
check good.fp --model
check good.fp --model nonsense
check good.fp --model tos
check good.fp --model bad.cat
check good.fp --model unknown.cat
check good.fp --model nowhere.cat
check good.fp --models ,
check good.fp --unroll many
check good.fp --unroll 0
check good.fp --jobs 0
check good.fp --jobs 100000
check good.fp --jobs
check good.fp --time-limit -1
check good.fp --memory none
check good.fp --max-executions -5
check good.fp --ignore rain
check good.fp --volatile odd
check good.fp --algorithm fast
check good.fp --commit-before cb0
check good.fp --algorithm rsmc --jobs 4
check good.fp --loop-bound 3
check loop.fp --loop-bound foo=3
check good.fp --loop-bound foo=3
check good.fp --deepen --unroll 3
check good.fp --save nowhere/state
check good.fp --resume nowhere
check good.fp --html nowhere/page.html
check good.fp -DM=3
check good.fp -- -O2
check good.fp loop.fp
check goood.fp
check nofile
check nofile.c
check bad.fp
check two.fp
check empty.fp
check notes.txt
check binary.fp
check {latin}
check *.nothing
check folder
check no.litmus
check bad.litmus
check --target queue
check --build nowhere good.c
check --build . good.c
outcomes good.fp --models ,
outcomes good.fp --observe y
outcomes good.fp --condition x=1
robust good.fp --against power
robust good.fp --messages 0
repair good.fp --goal fast
repair good.fp --goal robust
repair good.fp --only stores
relax good.fp --save here
bounded good.fp --contexts none
bounded good.fp --contexts 4..1
litmus
litmus nodir
litmus folder
litmus no.litmus --engine fast
litmus --expected nowhere.csv
litmus --from-list nowhere.txt
generate
generate X86 --cycle Nonsense
generate VAX
explain good.fp
explain good.fp --outcome x==
explain good.fp --outcome z=1
compare sc
compare sc nonsense
compare sc tso --size 1
compare sc tso --arch VAX
replay nowhere.json
replay bad.json
replay other.json
diff other.json
diff result.json bad.json
init nowhere.h
init folder
completion tcsh
models nonsense
models sc tso
program nofile
doctor now
man now
check good.fp --cluster nowhere
check good.fp --cluster local --algorithm rsmc --model power
check good.fp --cluster tcp://127.0.0.1:1 --jobs 2
check good.fp --certificates folder
robust good.fp --cluster nowhere
robust good.fp --certificates folder
cluster --host 0.0.0.0
cluster --port 70000
cluster --workers -1
cluster --join here
version
check {nothing}
check self.fp
check - --watch
check good.fp --jobs 1.5
check good.fp --time-limit nan
check good.fp --unroll 99999999999999999999
check good.fp --loop-bound =3
check good.fp --loop-bound A=x
check good.fp --nondet 5..1
check good.fp --html /dev/full
check good.fp --junit folder
check good.fp --save folder
check good.fp --save /dev/full
check good.fp --resume notes.txt
check good.fp --cluster tcp://
check good.fp --cluster tls://127.0.0.1:1
check other.json
bounded good.fp --contexts 0
compare sc
generate X86 --size 0
diff result.json nowhere.json
init
serve --port 99999
serve --host 0.0.0.0
serve --time-limit 0
cluster --join tcp://127.0.0.1:1
cluster --certificates notes.txt
check ownline.fp
repair folder
repair -
repair nowhere.c
relax other.json
robust good.fp --against power
robust nowhere.c
bounded good.fp --contexts 4..1
bounded good.fp --contexts many
cluster --port abc
init good.fp --output there
completion tcsh
doctor extra
check good.fp --model RC11
check good.fp --models sc tso
check good.fp -m sc
check queue.h
replay good.fp
models nonsense
litmus folder
diff good.fp good.fp
diff other.json other.json
diff list.json other.json
check good.fp -j 4
check good.fp -j4
check good.fp -o page.html
check good.fp --output page.html
check good.fp -model tso
check good.fp --deepen 3
check good.fp --unwind 3
check good.fp --timeout 10
check good.fp --threads 2
check good.fp --verbose
check good.fp --entry A
check good.fp --std
check good.fp --model x86
check good.fp --model aarch64
check good.fp --model C++11
check good.fp --model linux
robust good.fp --model tso
litmus bad.litmus -j 8
good.fp
watch good.fp
check good.fp -D
check good.fp -I --json -D
check good.fp -- -D -I
init good.fp
check good.fp --model sc --models sc,tso
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "latin.fp").write_bytes(b"var x\xff\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "self.fp").symlink_to("self.fp")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_sixty_and_more_bad_usages(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    told = []
    for line in USAGES.strip().splitlines():
        code = run([{"{latin}": "latin.fp", "{nothing}": ""}.get(word, word) for word in line.split()])
        out, err = capfd.readouterr()
        assert code == ExitCode.BAD_INPUT, f"{line}: exit code {code}\n{out}{err}"
        assert out == "" and err.startswith("error: ") and "Traceback" not in err, f"{line}: {out}{err}"
        told.append(f"$ fencepost {line}\n{_lasting(err, here)}")
    assert len(told) >= 60
    assert_golden(GOLDEN, "\n".join(told))


def _lasting(said: str, here: Path) -> str:
    """Without the lists that grow with the tool."""
    lists = {"MODELS": model_names(), "VERBS": [v.name for v in VERBS], "KINDS": KINDS}
    for name, words in lists.items():
        said = said.replace(", ".join(words), name)
    return said.replace(str(here), "HERE")
