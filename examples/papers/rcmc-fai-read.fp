// RCMC, section 5: after a = 0 and b = 1 only c = 2 is left, under WRC11 too.
var x
thread I { a := FADD(x, 1) }
thread II { b := FADD(x, 1); c := x }
~exists (I:a == 0 && II:b == 1 && II:c != 2)
