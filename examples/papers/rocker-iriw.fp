// IRIW (Rocker, Example 3.3): RA is not multi-copy-atomic; not robust against RA, robust against TSO.
var x, y
thread I { x.rel := 1 }
thread II { a := x.acq; b := y.acq }
thread III { c := y.acq; d := x.acq }
thread IV { y.rel := 1 }
exists (II:a == 1 && II:b == 0 && III:c == 1 && III:d == 0)
