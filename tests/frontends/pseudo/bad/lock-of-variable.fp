var x
thread P { lock(x) }
