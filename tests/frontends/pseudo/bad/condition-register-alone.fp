var x
thread P { r := x }
exists (r == 1)
