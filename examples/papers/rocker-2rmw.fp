// 2RMW (Rocker, Example 3.5): two successful RMWs never read from the same message; robust.
var x
thread I { a := CAS(x.acq_rel, 0, 1) }
thread II { b := CAS(x.acq_rel, 0, 1) }
~exists (I:a == 0 && II:b == 0)
