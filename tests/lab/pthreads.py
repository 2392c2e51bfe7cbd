"""Random C programs of threads that lock, signal, post, meet at barriers, start and join others and end early.

All shared atomics are seq-cst and all plain memory is protected, so these programs behave under every model as in one
memory (`sequential.py`), but for what a failed try and a lost signal tell nobody under a weak model: there they may do
more."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

Code = list[tuple[Any, ...]]
PLACES, MUTEXES = ("x", "y"), 2


@dataclass(slots=True)
class Threads:
    """`code[0]` is main. `detached`: main does not wait for all; `leaves`: somebody ends the whole process early.
    `tells`: a failed try or a lost signal may tell a thread something."""

    code: list[Code] = field(default_factory=list)
    initial: int = 0
    width: int = 2
    registers: int = 0
    detached: bool = False
    leaves: bool = False
    tells: bool = False


class Maker:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.made = Threads(initial=self.random.choice([0, 0, 1]), width=self.random.choice([2, 2, 3]))
        self.count = 0
        self.in_main = False

    def register(self) -> int:
        self.count += 1
        return self.count - 1

    def gathered(self) -> Threads:
        """Threads of which main knows that all of them wait: whom a signal wakes shows in the order of what comes."""
        random, made = self.random, self.made
        workers = random.choice([2, 2, 3])
        made.registers = 3
        worker: Code = [("lock", 0), ("add", 0, "y", 1), ("wait",), ("add", 1, "x", 1), ("unlock", 0)]
        wakes: Code = []
        for n in range(1, 1 + random.choice([1, workers, workers])):
            wakes += [("lock", 0), (random.choice(["signal", "signal", "broadcast"]),), ("unlock", 0)]
            wakes += [("await", "x", n)] if random.random() < 0.6 else []
        started: Code = [("spawn", t) for t in range(1, 1 + workers)]
        joined: Code = [("join", t) for t in range(1, 1 + workers)]
        made.code = [[*started, ("await", "y", workers), *wakes, *joined], *([*worker] for _ in range(workers))]
        return made

    def program(self) -> Threads:
        if self.random.random() < 0.1:
            return self.gathered()
        random, made = self.random, self.made
        workers = random.choice([1, 2, 2, 2, 3])
        made.code = [[] for _ in range(1 + workers)]
        same = workers > 1 and random.random() < 0.35
        for t in range(1, 1 + workers):
            if same and t > 1:
                made.code[t] = list(made.code[1])
                continue
            self.count = 0
            made.code[t] = self.body(random.choice([1, 2, 2, 3] if workers < 3 else [1, 1, 2]), nested=0)
            made.registers = max(made.registers, self.count)
        self.count, self.in_main = 0, True
        middle = self.body(random.choice([0, 0, 1, 1, 2]), nested=0)
        joined = [t for t in range(1, 1 + workers) if random.random() < 0.93]
        made.detached = len(joined) < workers
        started: Code = [("spawn", t) for t in range(1, 1 + workers)]
        if random.random() < 0.3 and not same:
            started = [*started[:1], *self.body(1, nested=0), *started[1:]]
        alone = self.body(self.random.choice([0, 0, 0, 1, 2]), nested=0)  # before there is anybody else
        made.code[0] = [*alone, *started, *middle, *(("join", t) for t in joined), *self.tail()]
        made.registers = max(made.registers, self.count)
        return made

    def tail(self) -> Code:
        if self.random.random() < 0.5:
            return []
        r = self.register()
        return [("load", r, self.random.choice(PLACES)), ("assert", r, self.random.randint(0, 2))]

    def body(self, length: int, nested: int) -> Code:
        return [s for _ in range(length) for s in self.statement(nested)]

    def statement(self, nested: int) -> Code:
        random = self.random
        x, v, k = random.choice(PLACES), random.randint(1, 2), random.randrange(MUTEXES)
        choices = [self.access, self.access, self.access, self.checked]
        if nested < 2:
            choices += [self.locked, self.locked, self.tried, self.conditional, self.conditional, self.signalled]
            choices += [self.reads, self.writes, self.writes_twice, self.tries_semaphore, self.branch]
        if nested == 0:
            choices += [self.meets]
        one = [
            [("post",)], [("down",)], [("once",)], [("await", x, v)], [("tls", self.register())],
        ]  # fmt: skip
        if random.random() < 0.06:
            self.made.leaves = True
            one.append([("exit",)])
        if random.random() < 0.06 and nested == 0 and not self.in_main:
            one.append([("quit",)])
        if random.random() < 0.4:
            return random.choice(one)
        return random.choice(choices)(x, v, k, nested)

    def access(self, x: str, v: int, _: int, __: int) -> Code:
        kinds: list[Code] = [[("store", x, v)], [("store", x, 0)]]
        kinds += [[("load", self.register(), x)], [("add", self.register(), x, v)]]
        kinds += [[("cas", self.register(), x, self.random.randint(0, 1), v)]]
        return self.random.choice(kinds)

    def checked(self, x: str, v: int, _: int, __: int) -> Code:
        r = self.register()
        return [("load", r, x), ("assert", r, v)]

    def branch(self, x: str, v: int, _: int, nested: int) -> Code:
        r = self.register()
        return [("load", r, x), ("if", r, v, self.body(1, nested + 1))]

    def locked(self, x: str, v: int, k: int, nested: int) -> Code:
        inner: Code = self.body(self.random.choice([0, 1, 1]), nested + 1)
        return [("lock", k), *self.plain(k), *inner, ("unlock", k)]

    def plain(self, k: int) -> Code:
        """What only mutex 0 protects."""
        if k:
            return []
        r = self.register()
        return self.random.choice([[], [("plain store", self.random.randint(0, 2))], [("plain load", r)]])

    def tried(self, x: str, v: int, k: int, nested: int) -> Code:
        self.made.tells = True
        r = self.register()
        return [("try", r, k), ("if", r, 1, [*self.plain(k), *self.body(1, nested + 1), ("unlock", k)])]

    def conditional(self, *_: object) -> Code:
        return [
            ("lock", 0),
            self.random.choice([("wait while",), ("wait while",), ("wait",)]),
            *self.plain(0),
            ("unlock", 0),
        ]

    def signalled(self, *_: object) -> Code:
        how = (self.random.choice(["signal", "broadcast"]),)
        if self.random.random() < 0.75:
            return [("lock", 0), ("plain store", 1), how, ("unlock", 0)]
        self.made.tells = True
        return [("lock", 0), ("plain store", 1), ("unlock", 0), how]

    def reads(self, x: str, v: int, _: int, nested: int) -> Code:
        return [
            ("read lock",),
            ("shared load", self.register()),
            *self.body(self.random.choice([0, 0, 1]), nested + 1),
            ("end",),
        ]

    def writes(self, x: str, v: int, _: int, nested: int) -> Code:
        inner = self.body(self.random.choice([0, 0, 1]), nested + 1)
        return [("write lock",), ("shared store", v), *inner, ("end",)]

    def writes_twice(self, *_: object) -> Code:
        """What is there in between nobody may see."""
        return [("write lock",), ("shared store", 1), ("shared store", 2), ("end",)]

    def tries_semaphore(self, *_: object) -> Code:
        self.made.tells = True
        return [("try down", self.register())]

    def meets(self, *_: object) -> Code:
        return [("meet",)]


def threads(seed: int) -> Threads:
    return Maker(seed).program()


# --- as C

HEAD = (
    "#include <stdatomic.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <assert.h>\n#include <stdlib.h>\n"
)
_C = {
    "store": "atomic_store(&P_{0}, {1});", "load": "r{0} = atomic_load(&P_{1});",
    "add": "r{0} = atomic_fetch_add(&P_{1}, {2});",
    "cas": "{{ int e = {2}; r{0} = atomic_compare_exchange_strong(&P_{1}, &e, {3}); }}",
    "lock": "pthread_mutex_lock(&P_m{0});", "unlock": "pthread_mutex_unlock(&P_m{0});",
    "try": "r{0} = pthread_mutex_trylock(&P_m{1}) == 0;",
    "plain store": "P_d = {0};", "plain load": "r{0} = P_d;",
    "shared store": "P_e = {0};", "shared load": "r{0} = P_e;",
    "wait": "pthread_cond_wait(&P_c, &P_m0);", "wait while": "while (P_d == 0) pthread_cond_wait(&P_c, &P_m0);",
    "signal": "pthread_cond_signal(&P_c);", "broadcast": "pthread_cond_broadcast(&P_c);",
    "post": "sem_post(&P_s);", "down": "sem_wait(&P_s);", "try down": "r{0} = sem_trywait(&P_s) == 0;",
    "read lock": "pthread_rwlock_rdlock(&P_rw);", "write lock": "pthread_rwlock_wrlock(&P_rw);",
    "end": "pthread_rwlock_unlock(&P_rw);", "once": "pthread_once(&P_o, P_first);",
    "meet": "pthread_barrier_wait(&P_b);", "await": "while (atomic_load(&P_{0}) != {1});",
    "tls": "r{0} = ++P_own;", "assert": "assert(r{0} != {1});", "exit": "exit(0);",
    "spawn": "pthread_create(&P_t[{0}], 0, P_T{0}, 0);", "join": "pthread_join(P_t[{0}], 0);",
}  # fmt: skip


class Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def program(self, made: Threads, name: str) -> None:
        self.lines += [
            "atomic_int P_x, P_y; int P_d, P_e; _Thread_local int P_own;",
            "pthread_mutex_t P_m0 = PTHREAD_MUTEX_INITIALIZER, P_m1 = PTHREAD_MUTEX_INITIALIZER;",
            "pthread_cond_t P_c = PTHREAD_COND_INITIALIZER; pthread_rwlock_t P_rw = PTHREAD_RWLOCK_INITIALIZER;",
            "sem_t P_s; pthread_once_t P_o = PTHREAD_ONCE_INIT; pthread_barrier_t P_b;",
            f"pthread_t P_t[{len(made.code)}];",
            "void P_first(void) { atomic_fetch_add(&P_x, 1); }",
        ]
        for t in reversed(range(len(made.code))):
            self.thread(made, t)
        self.lines[:] = [line.replace("P_", f"{name}_") for line in self.lines]

    def thread(self, made: Threads, t: int) -> None:
        registers = range(made.registers)
        self.lines.append(" ".join(f"int P_T{t}_r{r};" for r in registers))
        head = "int P_main(void) {" if t == 0 else f"void *P_T{t}(void *unused) {{"
        self.lines.append(head + " ".join(f" int r{r} = 0;" for r in registers))
        if t == 0:
            self.lines.append(f"sem_init(&P_s, 0, {made.initial}); pthread_barrier_init(&P_b, 0, {made.width});")
        kept = " ".join(f"P_T{t}_r{r} = r{r};" for r in registers)
        self.code(made.code[t], kept)
        self.lines += [kept, "return 0; }"]

    def code(self, code: Code, kept: str) -> None:
        for kind, *rest in code:
            if kind == "if":
                self.lines.append(f"if (r{rest[0]} == {rest[1]}) {{")
                self.code(rest[2], kept)
                self.lines.append("}")
            elif kind == "quit":
                self.lines += [kept, "pthread_exit(0);"]
            else:
                self.lines.append(_C[kind].format(*rest))


def to_c(made: Threads, name: str = "P") -> str:
    writer = Writer()
    writer.program(made, name)
    return "\n".join(writer.lines) + "\n"
