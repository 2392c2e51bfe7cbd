"""Bit-vector terms of the two solvers behind one small face. Terms are opaque; widths are the caller's business."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from fencepost.errors import UsageError

Term = Any


class Solver(ABC):
    """`check` answers True (satisfiable), False, or None where the time ran out. Values are asked after True only."""

    @abstractmethod
    def number(self, value: int, width: int) -> Term: ...

    @abstractmethod
    def variable(self, name: str, width: int) -> Term: ...

    @abstractmethod
    def apply(self, op: str, *args: Term) -> Term:
        """op is an SMT-LIB name: bvadd, bvult, =, ite, and, or, not, ..."""

    @abstractmethod
    def extract(self, term: Term, high: int, low: int) -> Term: ...

    @abstractmethod
    def extend(self, term: Term, by: int, signed: bool) -> Term: ...

    @abstractmethod
    def require(self, term: Term) -> None: ...

    @abstractmethod
    def check(self, seconds: float | None) -> bool | None: ...

    @abstractmethod
    def value(self, term: Term) -> int:
        """Of a bit-vector (unsigned) or of a truth value (0 or 1)."""


class BitwuzlaSolver(Solver):
    def __init__(self) -> None:
        import bitwuzla

        self.library = bitwuzla
        self.manager = bitwuzla.TermManager()
        kind = bitwuzla.Kind
        self.kinds = {
            "bvadd": kind.BV_ADD, "bvsub": kind.BV_SUB, "bvmul": kind.BV_MUL, "bvand": kind.BV_AND,
            "bvor": kind.BV_OR, "bvxor": kind.BV_XOR, "bvshl": kind.BV_SHL, "bvlshr": kind.BV_SHR,
            "bvashr": kind.BV_ASHR, "bvudiv": kind.BV_UDIV, "bvurem": kind.BV_UREM, "bvsdiv": kind.BV_SDIV,
            "bvsrem": kind.BV_SREM, "bvult": kind.BV_ULT, "bvule": kind.BV_ULE, "bvslt": kind.BV_SLT,
            "bvsle": kind.BV_SLE, "=": kind.EQUAL, "ite": kind.ITE, "and": kind.AND, "or": kind.OR, "not": kind.NOT,
        }  # fmt: skip
        self.sorts: dict[int, Any] = {}
        self.required: list[Term] = []
        self.session: Any = None

    def _sort(self, width: int) -> Any:
        if width not in self.sorts:
            self.sorts[width] = self.manager.mk_bv_sort(width)
        return self.sorts[width]

    def number(self, value: int, width: int) -> Term:
        return self.manager.mk_bv_value(self._sort(width), value & ((1 << width) - 1))

    def variable(self, name: str, width: int) -> Term:
        return self.manager.mk_const(self._sort(width), name)

    def apply(self, op: str, *args: Term) -> Term:
        return self.manager.mk_term(self.kinds[op], list(args))

    def extract(self, term: Term, high: int, low: int) -> Term:
        return self.manager.mk_term(self.library.Kind.BV_EXTRACT, [term], [high, low])

    def extend(self, term: Term, by: int, signed: bool) -> Term:
        kind = self.library.Kind.BV_SIGN_EXTEND if signed else self.library.Kind.BV_ZERO_EXTEND
        return self.manager.mk_term(kind, [term], [by])

    def require(self, term: Term) -> None:
        self.required.append(term)

    def check(self, seconds: float | None) -> bool | None:
        options = self.library.Options()
        options.set(self.library.Option.PRODUCE_MODELS, True)
        if seconds is not None:
            options.set(self.library.Option.TIME_LIMIT_PER, max(1, int(seconds * 1000)))
        self.session = self.library.Bitwuzla(self.manager, options)
        for term in self.required:
            self.session.assert_formula(term)
        result = self.session.check_sat()
        if result == self.library.Result.UNKNOWN:
            return None
        return bool(result == self.library.Result.SAT)

    def value(self, term: Term) -> int:
        found = self.session.get_value(term)
        if found.sort().is_bool():
            return int(found.is_true())
        return int(found.value(10))


class Z3Solver(Solver):
    def __init__(self) -> None:
        try:
            import z3
        except ImportError:
            raise UsageError("--backend z3 needs the package z3-solver: pip install 'fencepost[z3]'") from None
        self.z3 = z3
        self.context = z3.Context()
        self.solver = z3.SolverFor("QF_BV", ctx=self.context)
        self.operations = {
            "bvadd": lambda a, b: a + b, "bvsub": lambda a, b: a - b, "bvmul": lambda a, b: a * b,
            "bvand": lambda a, b: a & b, "bvor": lambda a, b: a | b, "bvxor": lambda a, b: a ^ b,
            "bvshl": lambda a, b: a << b, "bvlshr": z3.LShR, "bvashr": lambda a, b: a >> b, "bvudiv": z3.UDiv,
            "bvurem": z3.URem, "bvsdiv": lambda a, b: a / b, "bvsrem": z3.SRem, "bvult": z3.ULT, "bvule": z3.ULE,
            "bvslt": lambda a, b: a < b, "bvsle": lambda a, b: a <= b, "=": lambda a, b: a == b, "ite": z3.If,
            "and": z3.And, "or": z3.Or, "not": z3.Not,
        }  # fmt: skip
        self.model: Any = None

    def number(self, value: int, width: int) -> Term:
        return self.z3.BitVecVal(value, width, ctx=self.context)

    def variable(self, name: str, width: int) -> Term:
        return self.z3.BitVec(name, width, ctx=self.context)

    def apply(self, op: str, *args: Term) -> Term:
        return self.operations[op](*args)

    def extract(self, term: Term, high: int, low: int) -> Term:
        return self.z3.Extract(high, low, term)

    def extend(self, term: Term, by: int, signed: bool) -> Term:
        return self.z3.SignExt(by, term) if signed else self.z3.ZeroExt(by, term)

    def require(self, term: Term) -> None:
        self.solver.add(term)

    def check(self, seconds: float | None) -> bool | None:
        if seconds is not None:
            self.solver.set("timeout", max(1, int(seconds * 1000)))
        result = self.solver.check()
        if result == self.z3.unknown:
            return None
        if result == self.z3.sat:
            self.model = self.solver.model()
            return True
        return False

    def value(self, term: Term) -> int:
        found = self.model.eval(term, model_completion=True)
        if self.z3.is_bool(found):
            return int(self.z3.is_true(found))
        return int(found.as_long())


def make_solver(backend: str) -> Solver:
    return Z3Solver() if backend == "z3" else BitwuzlaSolver()
