var x
thread P { r := CAS(x, 0) }
