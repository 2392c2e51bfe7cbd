"""Which engine runs a model on a program, and why. Our own models are listed; a user's model is looked at: where its
plan is that of one of ours it is treated like that one, where it provably fits an exploration in program order the core
runs its plan, and in doubt all candidate executions are enumerated."""

from __future__ import annotations

from functools import lru_cache

from fencepost.errors import UnsupportedError
from fencepost.models.registry import Model, find, names
from fencepost.program.instructions import (
    Assume,
    AtomicBegin,
    AtomicEnd,
    Await,
    BlockingCas,
    Call,
    Cas,
    Fence,
    Instruction,
    Load,
    Mode,
    Return,
    Rmw,
    Spawn,
    SpinHead,
    Store,
    StoreConditional,
)
from fencepost.program.operands import Reg
from fencepost.program.passes.flow import successors
from fencepost.program.passes.rewrite import defined, used
from fencepost.program.program import Function, Program
from fencepost.records import dataclass, replace

#: The models that the core checks by hand-tuned code, by their number there.
NATIVE_MODELS = {"sc": 0, "tso": 1, "pso": 2, "ra": 3, "rc11": 4, "rc11-cpp20": 5, "wrc11": 6, "ra as rc11": 4}

#: Our models that let events commit out of program order: the core runs their plan, with the rules of this number for
#: what must be there before an event.
PLANNED_MODELS = {"power": 2, "armv8": 3, "armv8-2018": 3, "riscv": 4, "armv7": 5, "imm": 6}

#: Those of them for which the core has a judge that is faster than the plan and says the same.
TUNED_MODELS = ("power", "armv8", "armv7", "riscv", "imm")

#: The models of the RCMC paper.
RCMC_MODELS = ("rc11", "rc11-cpp20", "wrc11")

#: The rule of program order.
IN_ORDER = 1

#: Our models without a hand-tuned checker whose events commit in program order: the core runs their plan so.
IN_ORDER_MODELS = ("sra",)

#: Release/acquire with fences or non-atomic accesses: it is rc11 where every atomic access releases and acquires.
STRONG_RC11 = "ra as rc11"

#: The models under which the core explores atomic blocks: they go by coherence, and po and rf are acyclic.
WITH_BLOCKS = ("sc", "tso", "pso", "ra", "rc11", "rc11-cpp20")


@dataclass(frozen=True, slots=True)
class Engine:
    """`explores`: the core does; otherwise enumeration. `like` names the model of ours whose treatment this one gets;
    empty where its plan is run in program order. `reason` is for the user: empty where there is nothing to explain.
    `second_look`: the core ran, and may have missed something."""

    explores: bool
    like: str = ""
    reason: str = ""
    second_look: bool = False

    @property
    def in_order(self) -> bool:
        return self.explores and not self.like


UNALIGNED = Engine(
    False, reason="accesses that are not aligned to their size are split into pieces, which enumeration does"
)
WAITS_IN_BLOCK = Engine(
    False, reason="a thread may wait inside an atomic block, which is judged on whole executions", second_look=True
)


def rsmc(model: Model, commit_before: str | None) -> Engine:
    """RSMC runs every model that has a plan, like the one of ours where it is one."""
    if model.plan is None:
        raise UnsupportedError(f"RSMC needs a model that compiles to a plan: {model.why_no_plan}")
    like = model.name if model.ours else engine_of(model).like
    if like in PLANNED_MODELS and commit_before in (None, like):
        return Engine(True, like)
    return Engine(True, like, "RSMC, with a commit-before that is checked on the way")


def refuse_rcmc(model: Model, engine: Engine) -> None:
    """RCMC is an algorithm for RC11 and WRC11; it keeps no graph that others could go on from."""
    if engine.like not in RCMC_MODELS:
        why = engine.reason or f"{model.name} is none of them"
        raise UnsupportedError(f"RCMC explores programs under {', '.join(RCMC_MODELS)}: {why}")


def engine_of(model: Model, program: Program | None = None) -> Engine:
    """The engine for a model on a program (None: on programs without anything special)."""
    spawns, exclusives = (program is not None and uses(program, kind) for kind in (Spawn, StoreConditional))
    if not model.ours or model.variants:
        found = _of_users(model, spawns, exclusives)
    elif exclusives and model.name in NATIVE_MODELS:  # which the hand-tuned checkers do not know
        found = _in_order(model, spawns, exclusives)
    elif model.name in IN_ORDER_MODELS:
        found = _in_order(model, spawns, exclusives)
        found = replace(found, reason="") if found.explores else found
    else:
        found = Engine(model.name in NATIVE_MODELS or model.name in PLANNED_MODELS, model.name)
    return found if program is None else _checked(found, program)


def _checked(engine: Engine, program: Program) -> Engine:
    """Some programs are beyond the hand-tuned checkers."""
    if engine.like == "armv7" and any(is_ordered(i) for f in program.functions for i in f.code):
        return Engine(False, reason="armv7 does not order accesses by their modes, and the explorer would")
    if engine.like == "armv7" and any(map(_divides_pairs, program.functions)):
        return Engine(
            False, reason="under armv7 stores between a load-reserve and its store-conditional are enumerated"
        )
    if engine.explores and engine.like not in WITH_BLOCKS and uses(program, AtomicBegin):
        if engine.like not in PLANNED_MODELS:
            return Engine(False, reason="atomic blocks are judged on whole executions")
        if any(map(_waits_in_block, program.functions)):
            return replace(WAITS_IN_BLOCK, second_look=False)
    if engine.explores and not engine.in_order and any(_oddly_annotated(i) for f in program.functions for i in f.code):
        return Engine(False, reason="the explorer does not treat loads that release and stores that acquire")
    if engine.explores and any(getattr(i, "alternative", False) for f in program.functions for i in f.code):
        return Engine(False, reason="a compare-exchange that may write back what it read is judged on whole executions")
    if engine.explores and not engine.in_order and any(map(_conditionals_elsewhere, program.functions)):
        return Engine(False, reason="a store-conditional whose address is read may fail without waiting for that read")
    if engine.like == "ra" and (uses(program, Fence) or has_non_atomics(program)):
        return Engine(True, STRONG_RC11)
    return engine


def _divides_pairs(function: Function) -> bool:
    """Whether a thread may write between a load-reserve and a store-conditional. Under ARMv7 the latter need not wait
    for such a write to its place, which coherence has before it."""
    code = function.code
    waiting = [(n, False) for k, i in enumerate(code) if isinstance(i, Load) and i.exclusive for n in successors(k, i)]
    seen: set[tuple[int, bool]] = set()
    while waiting:
        k, wrote = waiting.pop()
        i = code[k]
        if isinstance(i, StoreConditional):
            if wrote:
                return True
        elif (k, wrote) not in seen:
            seen.add((k, wrote))
            wrote |= isinstance(i, Store | Rmw | Cas | BlockingCas | Call)
            waiting.extend((n, wrote) for n in successors(k, i))
    return False


def _waits_in_block(function: Function) -> bool:
    """Whether a thread may wait inside an atomic block, as far as the code tells."""
    code = function.code
    waiting = [n for k, i in enumerate(code) if isinstance(i, AtomicBegin) for n in successors(k, i)]
    seen: set[int] = set()
    while waiting:
        k = waiting.pop()
        if k in seen or isinstance(code[k], AtomicEnd):
            continue
        if isinstance(code[k], Assume | Await | BlockingCas | SpinHead | Call | Return):
            return True
        seen.add(k)
        waiting.extend(successors(k, code[k]))
    return False


def is_ordered(i: Instruction) -> bool:
    """Whether an access acquires or releases."""
    return not isinstance(i, Fence) and getattr(i, "mode", Mode.RLX) not in (Mode.RLX, Mode.NA)


def _conditionals_elsewhere(function: Function) -> bool:
    """Whether a store-conditional goes where something that was read says, and its load did not go there. Events of the
    explorer wait until the places of those before them are known; one that fails is no access, so for the model nothing
    waits for its address, unless for that of the load."""
    if not any(isinstance(i, StoreConditional) for i in function.code):
        return False
    read: set[Reg] = set()
    before = -1
    while len(read) != before:
        before = len(read)
        for i in function.code:
            if isinstance(i, Load | Rmw | Cas) or any(o in read for o in used(i)):
                read.update(defined(i))
    return any(
        isinstance(i, StoreConditional) and i.address in read and not _reserved(function, k)
        for k, i in enumerate(function.code)
    )


def _reserved(function: Function, conditional: int) -> bool:
    """Whether a store-conditional comes only after a load-reserve by the same register, set for both."""
    code = function.code
    store = code[conditional]
    assert isinstance(store, StoreConditional), "a store-conditional should be one"
    loads = {k for k, i in enumerate(code) if isinstance(i, Load) and i.exclusive and i.address == store.address}
    waiting = [0, *(n for k, i in enumerate(code) if store.address in defined(i) for n in successors(k, i))]
    seen: set[int] = set()
    while waiting:
        k = waiting.pop()
        if k in seen or k in loads:
            continue
        if k == conditional:
            return False
        seen.add(k)
        waiting.extend(successors(k, code[k]))
    return True


def _oddly_annotated(i: Instruction) -> bool:
    """RISC-V's lr.rl, sc.aq and the like."""
    if isinstance(i, Load):
        return i.mode in (Mode.REL, Mode.ACQ_REL)
    return isinstance(i, Store | StoreConditional) and i.mode in (Mode.ACQ, Mode.ACQ_PC, Mode.ACQ_REL)


@lru_cache(maxsize=64)
def _of_users(model: Model, spawns: bool, exclusives: bool) -> Engine:
    if model.plan is None:
        return Engine(False, reason=f"the model has no plan: {model.why_no_plan}")
    for name in names():
        if name in IN_ORDER_MODELS:
            continue  # as is this one then
        if model.plan.same_as(find(name).plan) and not (exclusives and name in NATIVE_MODELS):
            return Engine(True, name, f"the model says what {name} says")
    return _in_order(model, spawns, exclusives)


@lru_cache(maxsize=64)
def _in_order(model: Model, spawns: bool, exclusives: bool) -> Engine:
    """The plan of the model in program order, where that provably finds everything."""
    from fencepost.models.cat.guarantees import unproved
    from fencepost.models.cat.small import is_causal, keeps_atomicity, keeps_coherence

    plan = model.plan
    assert plan is not None, "a model without a plan should be enumerated"
    doubt = unproved(plan)
    if not doubt and not keeps_coherence(plan):
        doubt = "it may break SC per location"
    if not doubt and not is_causal(plan, spawns=spawns):
        doubt = "it may allow cycles of po and rf"
    if not doubt and exclusives and not keeps_atomicity(plan):
        doubt = "it may let others write between an exclusive pair"
    if doubt:
        return Engine(False, reason=f"nothing proves that an exploration finds everything under this model: {doubt}")
    return Engine(True, "", "the model keeps po and rf acyclic: its plan is run in program order")


def out_of_order(model: Model) -> bool:
    """Whether it is one of ours that lets events commit out of program order."""
    return model.ours and model.name in PLANNED_MODELS


def uses(program: Program, *kinds: type[object]) -> bool:
    return any(isinstance(i, kinds) for f in program.functions for i in f.code)


def has_non_atomics(program: Program) -> bool:
    """Whether it has accesses that may race."""
    return any(isinstance(i, Load | Store) and i.mode is Mode.NA for f in program.functions for i in f.code)
