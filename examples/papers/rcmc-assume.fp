// RCMC, 2.6: the assumption fails at first, and reads that come before it must still be revisited.
var x
thread I { a := x.rlx; assume(a != 0) }
thread II { x.rlx := 1 }
thread III { x.rlx := 2 }
forall (I:a == 1 || I:a == 2)
