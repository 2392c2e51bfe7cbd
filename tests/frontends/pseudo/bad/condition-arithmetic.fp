var x
thread P { r := x }
exists (P:r + 1 == 2)
