// 2+2W (Rocker, Example 3.4): under RA a write need not be the newest; not robust against RA, robust against TSO.
var x, y
thread I { x.rel := 1; y.rel := 2; a := y.acq }
thread II { y.rel := 1; x.rel := 2; a := x.acq }
exists (I:a == 1 && II:a == 1)
