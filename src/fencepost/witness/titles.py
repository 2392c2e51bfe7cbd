"""What each kind of error is called in a report."""

from __future__ import annotations

from fencepost.program.instructions import ErrorKind

TITLES = {
    ErrorKind.ASSERTION: "assertion violated", ErrorKind.RACE: "data race", ErrorKind.DEADLOCK: "deadlock",
    ErrorKind.UNINITIALISED: "read of uninitialised memory", ErrorKind.OUT_OF_BOUNDS: "access out of bounds",
    ErrorKind.NULL: "null pointer dereferenced", ErrorKind.USE_AFTER_FREE: "use after free",
    ErrorKind.DOUBLE_FREE: "memory freed twice", ErrorKind.INVALID_FREE: "free of what was not allocated that way",
    ErrorKind.LEAK: "memory leak", ErrorKind.LIVENESS: "liveness violated",
    ErrorKind.MISALIGNED: "misaligned access", ErrorKind.UNLOCK: "unlock of a mutex that is not held",
    ErrorKind.DIVISION: "division by zero", ErrorKind.ARITHMETIC: "undefined arithmetic",
    ErrorKind.BAD_CALL: "bad call", ErrorKind.BAD_JOIN: "bad join", ErrorKind.ABORT: "abort",
    ErrorKind.STACK_OVERFLOW: "stack overflow", ErrorKind.OVERFLOW: "signed integer overflow",
    ErrorKind.SHIFT: "shift exponent out of range", ErrorKind.FLOAT_CAST: "float cast overflow",
    ErrorKind.BOUNDS: "index out of bounds", ErrorKind.MISSING_RETURN: "missing return",
    ErrorKind.INVALID_VALUE: "invalid value", ErrorKind.CONSTANT: "write to a constant",
    ErrorKind.OVERLAP: "overlapping copy", ErrorKind.NOT_ROBUST: "not robust",
}  # fmt: skip
#: The kinds whose messages say what they are: the title would say it again.
SELF_EXPLAINING = frozenset({ErrorKind.NOT_ROBUST, ErrorKind.DIVISION, ErrorKind.OVERFLOW, ErrorKind.BOUNDS})
