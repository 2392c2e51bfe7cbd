var x
thread P { fadd(x, 1) }
