"""How a Verdict and its Witness are shown: to people (text, html, svg) and to machines (json, sarif, junit, dot)."""
