var x
thread P { assert(x == 1, "no) }
