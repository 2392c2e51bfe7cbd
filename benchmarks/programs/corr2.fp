// CORR2 (RCMC, 2.3)
var x
thread I { x := 1 }
thread II { x := 2 }
thread III { a := x; b := x }
thread IV { c := x; d := x }
