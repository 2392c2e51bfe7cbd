"""The algorithms of the papers in plain Python, line by line: slow, readable, and the judges of the fast code."""
