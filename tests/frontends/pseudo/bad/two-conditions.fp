var x
thread P { r := x }
exists (x == 1)
forall (x == 0)
