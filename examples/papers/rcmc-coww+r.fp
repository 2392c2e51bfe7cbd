// COWW+R (RCMC, 2.1): 3 executions.
var x
thread I { x := 1; x := 2 }
thread II { a := x }
observe II:a
