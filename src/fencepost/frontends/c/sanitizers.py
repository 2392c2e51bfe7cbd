"""The checks that the compiler is asked to write into a program. What becomes of them is in `undefined`."""

#: Shifts of negative numbers are left out: every compiler defines them, and C23 and C++20 nearly do.
SANITIZERS = (
    "signed-integer-overflow", "shift-exponent", "float-cast-overflow", "array-bounds", "return", "builtin",
    "vla-bound",
)  # fmt: skip
FLAGS = (f"-fsanitize={','.join(SANITIZERS)}", "-fsanitize-trap=all")
#: Tells where variables begin to live, so that one of a loop's body has no value again in the next round.
SCOPES = ("-Xclang", "-fsanitize-address-use-after-scope")
