// LB+data (RSMC, Fig. 2)
var x, y
thread P { r0 := x; y := r0 + 1 }
thread Q { r1 := y; x := 1 }
exists (P:r0 == 1 && Q:r1 == 2)
