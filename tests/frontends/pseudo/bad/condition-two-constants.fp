var x
thread P { r := x }
exists (1 == 2)
