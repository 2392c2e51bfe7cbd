"""The one option table: command line, keyword arguments and documentation all come from these classes.

A field is an option: its name with dashes is the flag, its type and default are those of both worlds, its help is the
text in `--help` and in docs/cli.md. An analysis takes the whole object.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from fencepost.errors import UsageError
from fencepost.program.instructions import FAULTS, ErrorKind
from fencepost.program.operands import Position
from fencepost.program.passes.volatile import MEANINGS
from fencepost.program.pipeline import Settings
from fencepost.records import dataclass, field, fields

if TYPE_CHECKING:
    from fencepost.program.passes.nondet import Nondet

_OptionsT = TypeVar("_OptionsT")


def option(default: object, help_: str, *, metavar: str = "") -> Any:
    """A field of an option class. `metavar` stands for the value in the help."""
    return field(default=default, metadata={"help": help_, "metavar": metavar})


def _spurious_wakeups() -> Any:
    return option(False, "Let condition variables also wake each thread once for no reason.")


def _spurious_failures() -> Any:
    return option(True, "Let weak compare-exchanges also fail for no reason, where it shows.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """What every analysis under a memory model takes."""

    model: str = option("rc11", "Memory model: a name that `fencepost models` lists, or the path of a .cat file.",
                        metavar="MODEL")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainOptions(ModelOptions):
    """What `explain` takes."""

    unroll: int | None = option(None, "Run each loop at most N times.", metavar="N")


_MOST_JOBS = 512  # more than that no machine has use for, and the system may refuse


_MOST_CONTEXTS = 1000
_BOUNDED_MODELS = ("power", "ra", "rc11", "rc11-cpp20")


def _check_number(name: str, value: float | None) -> None:
    """What the core counts in 64 bits."""
    if value is None:
        return
    if not value > 0:
        raise UsageError(f"{flag(name)} must be positive, not {value}")
    if isinstance(value, int) and value >= 1 << 32:
        raise UsageError(f"{flag(name)} must be less than 2^32, not {value}")


def _check_jobs(jobs: int) -> None:
    if jobs > _MOST_JOBS:
        raise UsageError(f"--jobs must be at most {_MOST_JOBS}, not {jobs}")


def _check_certificates(certificates: str | None, cluster: str | None) -> None:
    if certificates is not None and cluster is None:
        raise UsageError("--certificates is for --cluster tls://HOST:PORT")


def _certificates() -> Any:
    return option(None, "With a tls:// cluster: the folder of its certificates.", metavar="FOLDER")


ALGORITHMS = ("trust", "rsmc", "rcmc")
COUNTS = ("visited", "all")


def _algorithm() -> Any:
    return option("trust", "trust: every execution once. rsmc: that of Abdulla et al. (CAV 2016), for hardware models;"
                  " it counts the runs that block, too. rcmc: that of Kokologiannakis et al. (POPL 2018), for rc11 and"
                  " wrc11; it counts the executions that it meets again, too.", metavar="NAME")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ExploreOptions(ModelOptions):
    """What exploring all executions takes. A limit that runs out makes the verdict UNKNOWN, never PASS."""

    unroll: int | None = option(
        None, "Run each loop at most N times; a loop that wants more makes a PASS BOUNDED.", metavar="N"
    )
    loop_bound: tuple[str, ...] = option(
        (), "Bound one loop instead, by FILE:LINE or by the name of its function; may be repeated.", metavar="PLACE=N"
    )
    max_executions: int | None = option(None, "Stop after N executions.", metavar="N")
    time_limit: float | None = option(None, "Stop after S seconds.", metavar="S")
    memory: int | None = option(None, "Stop where the process occupies more than N MiB.", metavar="N")
    volatile: str = option(
        "plain", "What a volatile access of C is: plain, as the standard has it; relaxed; or strict (seq_cst).",
        metavar="MEANING",
    )  # fmt: skip
    nondet: str | None = option(
        None, "Let __VERIFIER_nondet_* of wide types choose in LOW..HIGH, where no few values stand for all; a PASS"
        " becomes BOUNDED.", metavar="LOW..HIGH",
    )  # fmt: skip
    nondet_seed: int | None = option(
        None, "Let each __VERIFIER_nondet_* of a wide type be one value that N determines; a PASS becomes BOUNDED.",
        metavar="N",
    )  # fmt: skip
    max_events: int = option(8000, "Give up on an execution with more than N events.", metavar="N")
    jobs: int = option(1, "Explore on N threads.", metavar="N")
    spin_detection: bool = option(True, "Let loops that only wait block instead of going round.")
    shortcuts: bool = option(True, "Leave out rounds of loops that lead where a shorter way leads.")
    spurious_wakeups: bool = _spurious_wakeups()
    spurious_failures: bool = _spurious_failures()
    algorithm: str = _algorithm()
    commit_before: str | None = option(
        None, "With rsmc: the commit-before function, a name or the path of a .cat file that defines cb.", metavar="CB"
    )
    digest: bool = option(
        False, "Also sum up 128-bit hashes of all executions: equal for equal sets, in whatever order they are found."
    )
    reductions: bool = option(True, "Visit one execution for many that differ in nothing that matters.")
    symmetry: bool = option(True, "Visit one execution for all that differ in the names of identical threads.")
    barriers: bool = option(True, "Visit one execution for all that differ in who came first to a barrier.")
    locks: bool = option(True, "Visit one execution for all that differ in the order of critical sections without a"
                         " conflict.")  # fmt: skip
    count: str = option(
        "visited", "What the number of executions counts: those that were visited, or all that there are without"
        " reductions.", metavar="WHAT",
    )  # fmt: skip
    save: str | None = option(None, "Keep the state of the exploration in FILE, to resume it later.", metavar="FILE")
    resume: str | None = option(None, "Go on from a state that --save wrote.", metavar="FILE")
    cluster: str | None = option(
        None, "Explore on many machines: the address of a dask scheduler (tcp://HOST:PORT, tls://HOST:PORT), or local:"
        " --jobs workers here, or one per processor. The keyword also takes a distributed.Client.", metavar="ADDRESS",
    )  # fmt: skip
    certificates: str | None = _certificates()

    def __post_init__(self) -> None:
        if self.volatile not in MEANINGS:
            raise UsageError(f"--volatile {self.volatile}: expected {' or '.join(MEANINGS)}")
        if self.count not in COUNTS:
            raise UsageError(f"--count {self.count}: expected {' or '.join(COUNTS)}")
        for name in ("unroll", "max_executions", "time_limit", "memory", "max_events", "jobs"):
            _check_number(name, getattr(self, name))
        _check_jobs(self.jobs)
        self._check_algorithm()
        self._nondet()
        for text in self.loop_bound:
            place, _, number = text.rpartition("=")
            if not place or not number.isdigit():
                raise UsageError(f"--loop-bound {text}: expected FILE:LINE=N or FUNCTION=N")

    def _check_algorithm(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise UsageError(f"--algorithm {self.algorithm}: expected {', '.join(ALGORITHMS[:-1])} or {ALGORITHMS[-1]}")
        if self.algorithm != "rsmc" and self.commit_before is not None:
            raise UsageError("--commit-before is for --algorithm rsmc")
        if self.algorithm != "trust" and (self.save or self.resume or self.jobs > 1):
            raise UsageError(f"--algorithm {self.algorithm} explores on one thread and cannot be saved or resumed")
        if self.algorithm != "trust" and self.cluster is not None:
            raise UsageError(
                f"--algorithm {self.algorithm} cannot pause, so it cannot be shared: it does not go with --cluster"
            )
        if self.cluster not in (None, "local") and self.jobs > 1:
            raise UsageError("--jobs is for this machine: with the address of a cluster, its workers do the work")
        _check_certificates(self.certificates, self.cluster)

    def _nondet(self) -> Nondet | None:
        if self.nondet is None and self.nondet_seed is None:
            return None
        from fencepost.program.passes.nondet import Nondet

        if self.nondet is not None and self.nondet_seed is not None:
            raise UsageError("--nondet and --nondet-seed: expected one of them")
        if self.nondet is None:
            return Nondet(seed=self.nondet_seed)
        found = re.fullmatch(r"(-?\d+)\.\.(-?\d+)", self.nondet)
        if found is None or not -(1 << 63) <= int(found[1]) <= int(found[2]) < 1 << 63:
            raise UsageError(f"--nondet {self.nondet}: expected LOW..HIGH, two whole numbers of 64 bits")
        return Nondet(int(found[1]), int(found[2]))

    @property
    def ignored(self) -> frozenset[ErrorKind]:
        """Kinds of errors that nobody wants to hear of."""
        return frozenset()

    @property
    def reduces_symmetry(self) -> bool:
        """Whether identical threads may be renamed."""
        return self.symmetry and self._reduces

    @property
    def reduces_barriers(self) -> bool:
        """Whether arrivals at a barrier may be taken for unordered."""
        return self.barriers and self._reduces and self.count == "visited"

    @property
    def reduces_locks(self) -> bool:
        """Whether critical sections without a conflict may be taken for unordered."""
        return self.locks and self._reduces and self.count == "visited"

    @property
    def _reduces(self) -> bool:
        """A saved exploration is whole: what was given up stays so."""
        return self.reductions and not (self.digest or self.save or self.resume or self.cluster)

    @property
    def loop_bounds(self) -> dict[str, int]:
        """The bounds of single loops by their places."""
        return {place: int(number) for place, _, number in (text.rpartition("=") for text in self.loop_bound)}

    def settings(
        self,
        target: str,
        *,
        undo: bool = False,
        unordered_arrivals: bool = False,
        whole: frozenset[Position] = frozenset(),
    ) -> Settings:
        """What these options ask of the passes, for a model that is compiled for like `target`."""
        return Settings(
            target=target, unordered_arrivals=unordered_arrivals, spurious_wakeups=self.spurious_wakeups,
            spurious_failures=self.spurious_failures, spin_detection=self.spin_detection, undo=undo,
            unroll=self.unroll, loop_bounds=self.loop_bounds, ignored=self.ignored, volatile=self.volatile,
            nondet=self._nondet(), whole=whole,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions(ExploreOptions):
    """What `check` takes."""

    keep_going: bool = option(False, "Collect every error instead of stopping at the first.")
    accept_bounds: bool = option(False, "Exit with 0 where there is no error within the bounds of loops (BOUNDED).")
    deepen: bool = option(False, "Bound every loop by 1, 2, 3, ... rounds, until no loop wants more, there is an error"
                          ", or the time is out (--time-limit; 60 s by default).")  # fmt: skip
    leaks: bool = option(False, "Report heap memory that is never freed.")
    via_robustness: bool = option(
        False, "First ask whether the program is robust against the model; where it is, explore it under sc only."
    )
    fix: bool = option(True, "Look for a fix of the error that is found, with a fixed amount of work.")
    ignore: tuple[str, ...] = option(
        (), "Do not report errors of this kind (race, leak, deadlock, ...); may be repeated.", metavar="KIND"
    )

    def __post_init__(self) -> None:
        ExploreOptions.__post_init__(self)
        if self.deepen and (self.unroll is not None or self.save or self.resume):
            raise UsageError("--deepen sets the bounds itself: it goes with neither --unroll nor --save nor --resume")
        known = [kind.value for kind in FAULTS]
        for name in self.ignore:
            if name not in known:
                raise UsageError(f"--ignore {name}: there is no such kind of error; expected one of {', '.join(known)}")

    @property
    def ignored(self) -> frozenset[ErrorKind]:
        return frozenset(ErrorKind(name) for name in self.ignore)


@dataclass(frozen=True, slots=True, kw_only=True)
class RelaxOptions(CheckOptions):
    """What `relax` takes. Limits are for the whole search, but for `max_executions`, which is for each check."""

    only: str = option("", "Change only these: accesses or fences.", metavar="KIND")
    cost: tuple[str, ...] = option(
        (), "What a step costs, such as fence.sc=20 or lwsync=3; FILE:LINE=N makes a place N times as dear.",
        metavar="KIND=N",
    )  # fmt: skip
    apply: bool = option(False, "Write the changes into the files.")
    diff: bool = option(False, "Print the patch and nothing else.")

    def __post_init__(self) -> None:
        CheckOptions.__post_init__(self)
        if self.only not in ("", "accesses", "fences"):
            raise UsageError(f"--only {self.only}: expected accesses or fences")
        if self.save or self.resume:
            raise UsageError("a repair explores many programs: it cannot be saved or resumed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairOptions(RelaxOptions):
    """What `repair` takes."""

    goal: str = option(
        "pass", "pass: no error is left. robust: nothing is left that sequential consistency does not do"
        " (--model ra, sra or tso).", metavar="GOAL",
    )  # fmt: skip

    def __post_init__(self) -> None:
        RelaxOptions.__post_init__(self)
        if self.goal not in ("pass", "robust"):
            raise UsageError(f"--goal {self.goal}: expected pass or robust")
        if self.goal == "robust" and self.model not in ("ra", "sra", "tso"):
            raise UsageError(f"--goal robust is for --model ra, sra or tso, not {self.model}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RobustOptions:
    """What `robust` takes. A limit that runs out makes the verdict UNKNOWN, never PASS."""

    against: str | None = option(
        None, "The weaker model: ra, sra, tso, rc11 or rc11-cpp20; or sc, to look for the program's own errors only. "
        "Default: rc11 for C programs that use more than release and acquire, tso for x86, else ra.", metavar="MODEL",
    )  # fmt: skip
    waits: bool = option(
        False, "Read a loop that only waits for one location as a blocking wait: its failed reads are no events."
    )
    spurious_wakeups: bool = _spurious_wakeups()
    spurious_failures: bool = _spurious_failures()
    state: bool = option(False, "Compare reachable program states instead of execution graphs (small programs, ra).")
    messages: int = option(6, "With --state: keep at most N messages per location.", metavar="N")
    critical_values: bool = option(
        True, "Keep apart only the values of a location that some compare-exchange or wait tells from the others."
    )
    backend: str = option("native", "native: our own search; spin: SPIN, where it is installed.", metavar="BACKEND")
    emit: str | None = option(None, "Print the instrumented program instead of searching: promela.", metavar="LANGUAGE")
    depth_first: bool = option(False, "Search depth first: violations far away are met sooner, traces are longer.")
    hash_compact: bool = option(
        False, "Keep 8 bytes of hash per state instead of the state; finding nothing is then no proof (UNKNOWN)."
    )
    max_states: int | None = option(None, "Stop after N states.", metavar="N")
    memory: int = option(4096, "Stop where the states need more than N MiB.", metavar="N")
    time_limit: float | None = option(None, "Stop after S seconds.", metavar="S")
    jobs: int = option(1, "Search on N threads.", metavar="N")
    cluster: str | None = option(
        None, "Search on one worker of a cluster: local, or the ADDRESS of its scheduler. The states of a search are "
        "one set, which cannot be shared between machines.", metavar="ADDRESS",
    )  # fmt: skip
    certificates: str | None = _certificates()

    @property
    def weaker(self) -> str:
        """The weaker model; `against` says it once it is chosen."""
        return self.against or "ra"

    def __post_init__(self) -> None:
        for name in ("messages", "max_states", "memory", "time_limit", "jobs"):
            _check_number(name, getattr(self, name))
        _check_jobs(self.jobs)
        _check_certificates(self.certificates, self.cluster)
        models = (None, "ra", "sra", "tso", "sc", "rc11", "rc11-cpp20")
        for name, known in (("against", models), ("backend", ("native", "spin")), ("emit", (None, "promela"))):
            value = getattr(self, name)
            if value not in known:
                raise UsageError(f"{flag(name)} {value}: expected {' or '.join(k for k in known if k)}")
        if self.depth_first and self.hash_compact:
            raise UsageError("--hash-compact forgets states once they are expanded, so it cannot go --depth-first")

    @property
    def settings(self) -> Settings:
        """What these options ask of the passes."""
        return Settings(
            target=self.weaker, spurious_wakeups=self.spurious_wakeups, spurious_failures=self.spurious_failures,
            waits=self.waits,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class LitmusOptions:
    """What `litmus` takes."""

    model: str | None = option(
        None, "Memory model: a name or the path of a .cat file. Default: the one of each test's architecture.",
        metavar="MODEL",
    )  # fmt: skip
    engine: str = option(
        "explore", "explore; or enumerate: all candidate executions, filtered by the model's .cat file.",
        metavar="ENGINE",
    )  # fmt: skip
    algorithm: str = _algorithm()
    from_list: tuple[str, ...] = option((), "Also run the tests whose paths this file lists.", metavar="LIST")
    expected: str | None = option(
        None,
        "Compare with this table of rows `path,0|1` (without FILES, run the tests it lists), or with a log of herd, "
        "state by state.",
        metavar="FILE",
    )  # fmt: skip
    unroll: int | None = option(None, "Run each loop at most N times.", metavar="N")
    time_limit: float | None = option(None, "Give a test up after S seconds.", metavar="S")
    processes: int | None = option(None, "Run N tests at a time. Default: one per processor.", metavar="N")
    cluster: str | None = option(
        None, "Run the tests on many machines: the address of a dask scheduler (tcp://HOST:PORT, tls://HOST:PORT), or"
        " local. The keyword also takes a distributed.Client.", metavar="ADDRESS",
    )  # fmt: skip
    certificates: str | None = _certificates()
    quiet: bool = option(False, "Print differences and the summary only.")

    def __post_init__(self) -> None:
        for name in ("unroll", "time_limit", "processes"):
            _check_number(name, getattr(self, name))
        if self.engine not in ("explore", "enumerate"):
            raise UsageError(f"--engine {self.engine}: there is no such engine; expected explore or enumerate")
        ExploreOptions(algorithm=self.algorithm)  # refuses what is none
        if self.cluster not in (None, "local") and self.processes is not None:
            raise UsageError("--processes is for this machine: with the address of a cluster, its workers do the work")
        _check_certificates(self.certificates, self.cluster)
        if self.algorithm != "trust" and self.engine != "explore":
            raise UsageError(f"--algorithm {self.algorithm} explores: it does not go with --engine enumerate")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions:
    """What `cluster` takes."""

    workers: int | None = option(
        None, "Start N workers. Default: one per processor; 0: a scheduler alone.", metavar="N"
    )
    host: str = option(
        "127.0.0.1", "Listen at this address of this machine. Beyond loopback it asks for --certificates.",
        metavar="HOST",
    )  # fmt: skip
    port: int = option(8786, "Listen at this port; 0: any that is free.", metavar="PORT")
    join: str | None = option(
        None, "Start no scheduler: add workers to the one at this address, until it ends.", metavar="ADDRESS"
    )
    certificates: str | None = option(
        None, "Talk over TLS with the certificates in this folder (ca.pem, cert.pem, key.pem); where it does not exist,"
        " a new set is made.", metavar="FOLDER",
    )  # fmt: skip

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < (0 if self.join is None else 1):
            raise UsageError(f"--workers must not be {self.workers}")
        if not 0 <= self.port < 1 << 16:
            raise UsageError(f"--port {self.port}: expected a number below 65536")
        if self.join is not None and not self.join.startswith(("tcp://", "tls://")):
            raise UsageError(f"--join {self.join}: expected tcp://HOST:PORT or tls://HOST:PORT")
        if self.join is not None and self.join.startswith("tcp://") and self.certificates is not None:
            raise UsageError(f"--join {self.join}: certificates are for tls://")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """Files to write besides what is printed, and how much of an execution is told."""

    all: bool = option(False, "Tell every step of the execution, not only those that led to the error.")
    html: str | None = option(None, "Write one self-contained page with the picture of the error.", metavar="FILE")
    svg: str | None = option(None, "Write the picture alone, where there is an error to draw.", metavar="FILE")
    dot: str | None = option(None, "Write the execution for Graphviz, where there is an error.", metavar="FILE")
    sarif: str | None = option(None, "Write SARIF 2.1.0, for code scanning.", metavar="FILE")
    junit: str | None = option(None, "Write JUnit XML, for CI systems.", metavar="FILE")
    markdown: str | None = option(
        None, "Write Markdown with the picture, for the summary of a CI job or a comment.", metavar="FILE"
    )

    @property
    def wanted(self) -> bool:
        """Whether any file is to be written."""
        return any((self.html, self.svg, self.dot, self.sarif, self.junit, self.markdown))


_CONTEXTS = "1..4"


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedOptions:
    """What `bounded` takes."""

    model: str = option(
        "power", "power, within a number of contexts; ra, rc11 or rc11-cpp20, within the bound of the loops alone.",
        metavar="MODEL",
    )  # fmt: skip
    contexts: str = option(
        _CONTEXTS,
        "Contexts (of power): how often, in all, a processor may be the active one. K, A..B to try each, or auto: 1, 2,"
        " 3, ... until the time is out (--time-limit; 60 s by default).",
        metavar="K|A..B|auto",
    )
    unroll: int = option(4, "Let each loop go round again N times; loops that only wait need no bound.", metavar="N")
    spurious_wakeups: bool = _spurious_wakeups()
    spurious_failures: bool = _spurious_failures()
    machine: str = option(
        "power", "power: the machine of Abdulla et al. with fences as power.cat has them, which judges each run that is"
        " found. paper: their machine as published, which reaches a little more.", metavar="NAME",
    )  # fmt: skip
    accept_bounds: bool = option(False, "Exit with 0 where there is no violation within the bounds (BOUNDED).")
    backend: str = option("smt", "Who decides: smt (bitwuzla), z3, or cbmc where it is installed.", metavar="NAME")
    time_limit: float | None = option(None, "Stop after S seconds.", metavar="S")

    def __post_init__(self) -> None:
        if self.machine not in ("power", "paper"):
            raise UsageError(f"--machine {self.machine}: expected power or paper")
        _check_number("unroll", self.unroll)
        _check_number("time_limit", self.time_limit)
        if self.backend not in ("smt", "z3", "cbmc"):
            raise UsageError(f"--backend {self.backend}: expected smt, z3 or cbmc")
        if self.model not in _BOUNDED_MODELS:
            raise UsageError(f"--model {self.model}: bounded takes {', '.join(_BOUNDED_MODELS)}")
        of_power = {
            "--backend cbmc": self.backend == "cbmc", "--machine paper": self.machine == "paper",
            f"--contexts {self.contexts}": self.contexts != _CONTEXTS,
        }  # fmt: skip
        if not self.has_contexts and any(of_power.values()):
            raise UsageError(f"{next(o for o, given in of_power.items() if given)}: only with --model power")
        _ = self.bounds

    @property
    def settings(self) -> Settings:
        """What these options ask of the passes. Loops are bounded later, by the translation."""
        return Settings(
            target=self.model, spurious_wakeups=self.spurious_wakeups, spurious_failures=self.spurious_failures,
            whole_types=not self.has_contexts,
            ignored=frozenset(ErrorKind),  # its machine would take a check for a branch, which orders accesses
        )  # fmt: skip

    @property
    def has_contexts(self) -> bool:
        """Whether the number of contexts is bounded: the machine is that of POWER."""
        return self.model == "power"

    @property
    def deepens(self) -> bool:
        """Whether there are as many contexts as there is time for."""
        return self.has_contexts and self.contexts == "auto"

    @property
    def bounds(self) -> range:
        """The numbers of contexts to try, in order."""
        if not self.has_contexts:
            return range(1, 2)
        if self.deepens:
            return range(1, _MOST_CONTEXTS + 1)
        first, dots, last = str(self.contexts).partition("..")
        try:
            low, high = int(first), int(last if dots else first)
        except ValueError:
            raise UsageError(f"--contexts {self.contexts}: expected a number K, a range A..B or auto") from None
        if not 1 <= low <= high <= _MOST_CONTEXTS:
            raise UsageError(f"--contexts {self.contexts}: expected 1 <= A <= B <= {_MOST_CONTEXTS}")
        return range(low, high + 1)


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def off_flag(name: str) -> str:
    """What switches an option off that is on by default."""
    return "--no-" + name.replace("_", "-")


def make(kind: type[_OptionsT], keywords: Mapping[str, object], given: _OptionsT | None = None) -> _OptionsT:
    """The options that keyword arguments of the public API ask for, or those that were given as a whole."""
    if given is not None:
        if keywords:
            raise UsageError(f"options= has all options: give {', '.join(keywords)} there")
        if not isinstance(given, kind):
            raise UsageError(f"options= should be {kind.__name__}, not {type(given).__name__}")
        return given
    known = [f.name for f in fields(kind)]  # type: ignore[arg-type] # every option class is a dataclass
    for name in keywords:
        if name not in known:
            from difflib import get_close_matches

            near = get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; options: {', '.join(known)}"
            raise UsageError(f"there is no option {name}{hint}")
    return kind(**keywords)


def markdown(kind: type[Any]) -> str:
    """The table for the documentation."""
    lines = ["| option | keyword | default | meaning |", "|---|---|---|---|"]
    for f in fields(kind):
        shown = f"{off_flag(f.name) if f.default is True else flag(f.name)} {f.metadata['metavar']}".strip()
        default = "" if f.default in (None, (), False) else f"`{f.default}`"
        lines.append(f"| `{shown}` | `{f.name}` | {default} | {f.metadata['help']} |")
    return "\n".join(lines) + "\n"
