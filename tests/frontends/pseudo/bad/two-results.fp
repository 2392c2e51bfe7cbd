var x
thread P { r, s := FADD(x, 1) }
