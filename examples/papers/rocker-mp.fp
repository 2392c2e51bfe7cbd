// MP (Rocker, Example 3.2): flag-based synchronisation; robust.
var x, y
thread I { x.rel := 1; y.rel := 1 }
thread II { a := y.acq; b := x.acq }
~exists (II:a == 1 && II:b == 0)
