"""Many litmus tests at once: in parallel, against a table of expected verdicts, in herd's format."""
