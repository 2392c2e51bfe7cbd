// MP with relaxed accesses only (RCMC, 2.5.1): the stale read is allowed.
var x, y
thread I { x := 1; y := 1 }
thread II { a := y; b := x }
exists (II:a == 1 && II:b == 0)
