// SB with SC accesses and a third writer (RCMC, 2.5.3): a = 2, b = 0 is possible and must not be missed.
var x, y
thread I { x.sc := 1; a := y.sc }
thread II { y.sc := 1; b := x.sc }
thread III { y.sc := 2 }
exists (I:a == 2 && II:b == 0)
