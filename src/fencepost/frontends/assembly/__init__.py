"""Instruction sets: what each instruction means. Litmus tests and inline assembly are read through the same tables."""
