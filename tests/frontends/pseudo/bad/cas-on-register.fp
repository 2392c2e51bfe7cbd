var x
thread P { r := x; s := CAS(r, 0, 1) }
