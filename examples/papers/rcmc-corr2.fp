// CORR2 (RCMC, 2.3): 72 executions, 49 under WRC11; two threads cannot see the writes in opposite orders.
var x
thread I { x := 1 }
thread II { x := 2 }
thread III { a := x; b := x }
thread IV { c := x; d := x }
~exists (III:a == 1 && IV:d == 1 && III:b == 2 && IV:c == 2)
