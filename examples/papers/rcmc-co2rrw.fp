// CO2RRW (RCMC, 2.2): 6 executions; a = 1, b = 0 would violate coherence.
var x
thread I { a := x; b := x }
thread II { c := x }
thread III { x := 1 }
~exists (I:a == 1 && I:b == 0)
