// SB with SC accesses (RCMC, Fig. 6): psc forbids a = b = 0.
var x, y
thread I { x.sc := 1; a := y.sc }
thread II { y.sc := 1; b := x.sc }
~exists (I:a == 0 && II:b == 0)
