// The same with acquire loads and release stores.
var x, y
thread P { x.rel := 1 }
thread Q { y.rel := 1 }
thread R { a := x.acq; b := y.acq }
thread S { c := y.acq; d := x.acq }
exists (R:a == 1 && R:b == 0 && S:c == 1 && S:d == 0)
