"""The cat language: reader, resolver, checker, evaluator and compiler to a relation plan."""
