// CO2RRW (RCMC, 2.2)
var x
thread I { a := x; b := x }
thread II { c := x }
thread III { x := 1 }
~exists (I:a == 1 && I:b == 0)
