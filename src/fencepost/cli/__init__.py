"""The command `fencepost`. This file knows the names of the verbs and nothing else of them: a verb is imported when it
is called, so that `fencepost --help` answers at once."""

from __future__ import annotations

import gc
import os
import sys
from typing import NamedTuple, NoReturn


class Verb(NamedTuple):
    """The verb NAME is the function NAME in `fencepost.cli.NAME`."""

    name: str
    summary: str


#: To add a verb, add its line here and its file beside this one.
VERBS = (
    Verb("check", "Find assertion failures, races and other errors in all executions."),
    Verb("repair", "Find the cheapest stronger orders and fences after which a program passes, as a patch."),
    Verb("relax", "Find the weakest orders and fewest fences with which a program still passes."),
    Verb("outcomes", "List the final states that a program can reach."),
    Verb("bounded", "Find violations within bounds: contexts under POWER, loops under RA and RC11."),
    Verb("robust", "Decide whether a program behaves as if memory were sequentially consistent."),
    Verb("litmus", "Run many litmus tests in parallel, and compare them with a table of verdicts."),
    Verb("cluster", "Start workers for --cluster on this machine, for explorations on many machines."),
    Verb("generate", "Generate litmus tests from cycles of relations."),
    Verb("replay", "Run exactly the execution of a saved witness again."),
    Verb("explain", "Say why an outcome is allowed or forbidden, with the cycle that forbids it."),
    Verb("compare", "Search for a test that tells two memory models apart."),
    Verb("serve", "Open the playground in the browser."),
    Verb("init", "Write a first test for a header."),
    Verb("diff", "Compare two results that --json printed."),
    Verb("completion", "Print the completion of command lines for a shell."),
    Verb("man", "Print the manual page."),
    Verb("program", "Print the Program of any input in its text form."),
    Verb("models", "List the memory models, or show one."),
    Verb("doctor", "Say what is installed, what is missing, and what each thing enables."),
)

USAGE = "fencepost VERB [OPTIONS] [FILES] [-- COMPILER FLAGS]"


#: New objects between two looks for garbage: nearly all that a command makes lives to its end.
_COLLECT = 50_000


def main() -> NoReturn:
    try:
        gc.set_threshold(_COLLECT)
        from fencepost.cli.streams import settle

        settle()
        _end_as_by_interrupt()
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while something was being imported
        print("interrupted", file=sys.stderr)
        _leave_at_once()
    if code:
        from fencepost.verdict import ExitCode

        if code == ExitCode.INTERRUPTED:
            _leave_at_once()
    _end(code)


def _end(code: int) -> NoReturn:
    """Ends without taking everything apart first, which takes as long as a few tests. A profiler wants the long way."""
    import atexit

    if sys.getprofile() is None and sys.gettrace() is None:
        try:
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        except OSError:
            pass  # a stream that is gone: Python knows what to say
    sys.exit(code)


def _end_as_by_interrupt() -> None:
    """Who is told to end, by a batch system or a closed terminal, ends as by Ctrl-C: what was found is told, saved."""
    import signal

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # not every system has both
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, lambda *_: signal.raise_signal(signal.SIGINT))


def _leave_at_once() -> NoReturn:
    """The core may still be at work on a thread of its own, which a normal exit would trip over."""
    from fencepost.verdict import ExitCode

    sys.stdout.flush()
    os._exit(ExitCode.INTERRUPTED)


def run(args: list[str]) -> int:
    """Runs one command line and returns its exit code."""
    if args[:1] == ["help"] and len(args) > 1:
        if (told := _topic(" ".join(args[1:]))) is not None:
            return _print(told)
        args = [args[1], "--help"]
    first = args[0] if args else "--help"
    if first in ("--help", "-h", "help"):
        return _print(help_text())
    if first in ("--version", "-V"):
        from fencepost._version import __version__

        return _print(f"fencepost {__version__}")
    if first not in (verb.name for verb in VERBS):
        return _unknown(first)
    from fencepost.cli.frame import run_verb

    return run_verb(first, args[1:])


def _topic(words: str) -> str | None:
    """What `help` tells of other things than verbs: the bugs that have names, all or one of them."""
    if words in (verb.name for verb in VERBS):
        return None
    from fencepost.report import bugs

    if words == bugs.TOPIC:
        return bugs.page().rstrip()
    found = bugs.meaning(words)
    return f"{words}\n\n{found}" if found else None


def help_text() -> str:
    width = max(len(verb.name) for verb in VERBS)
    lines = ["Model checking for weak memory.", "", f"Usage: {USAGE}", "", "Verbs:"]
    lines += [f"  {verb.name:{width}}  {verb.summary}" for verb in VERBS]
    lines += [
        "",
        "fencepost help VERB describes a verb, fencepost help bugs the bugs that have names. Every verb takes --json.",
        "fencepost --version prints the version.",
        "",
        "Exit codes: 0 PASS, 1 FAIL, 2 bad usage or input, 3 UNKNOWN or BOUNDED.",
    ]
    return "\n".join(lines)


def _print(text: str) -> int:
    try:
        print(text, flush=True)
    except OSError as error:
        from fencepost.cli.frame import unwritable

        return unwritable(error)
    return 0


def _is_file(word: str) -> bool:
    from pathlib import Path

    return Path(word).is_file()


def _unknown(word: str) -> int:
    from difflib import get_close_matches

    from fencepost.verdict import ExitCode

    names = [verb.name for verb in VERBS]
    near = get_close_matches(word, names, 1)
    hint = f"did you mean {near[0]}?" if near else f"verbs: {', '.join(names)}"
    said = f"there is no verb '{word}'; {hint}"
    if word == "version":
        said = "there is no verb 'version'; did you mean --version?"
    elif word == "watch":
        said = "there is no verb 'watch'; use fencepost check --watch FILE"
    elif _is_file(word):
        said = f"{word} stands where a verb should: fencepost check {word}"
    elif word.startswith("-"):
        said = f"{word} stands where a verb should: options follow it"
    print(f"error: {said}\nUsage: {USAGE}", file=sys.stderr)
    return ExitCode.BAD_INPUT
