var x
thread P { r := x }
exists (P:s == 1)
