// LB+FAIS (RCMC, Fig. 5): load buffering with increments in the middle.
var x, y, z
thread I { a := x; FADD(z, 1); y := 1 }
thread II { b := y; FADD(z, 1); x := 1 }
~exists (I:a == 1 && II:b == 1)
