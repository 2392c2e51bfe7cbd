var x
thread P { r := x }
exists (Q:r == 1)
