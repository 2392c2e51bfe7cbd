// FAIS with a third thread that writes (RCMC, 2.4).
var x
thread I { a := FADD(x, 1) }
thread II { b := FADD(x, 1) }
thread III { x := 42 }
exists (I:a == 42 && II:b == 0)
