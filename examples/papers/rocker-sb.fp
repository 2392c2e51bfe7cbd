// SB (Rocker, Example 3.1): RA allows both to read 0; not robust.
var x, y
thread I { x.rel := 1; a := y.acq }
thread II { y.rel := 1; b := x.acq }
exists (I:a == 0 && II:b == 0)
