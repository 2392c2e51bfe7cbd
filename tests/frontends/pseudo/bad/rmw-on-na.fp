na d
thread P { FADD(d, 1) }
