"""Makes programs: litmus tests from cycles of relations (diy's job), and random programs for property tests."""
