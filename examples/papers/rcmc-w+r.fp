// W+R (RCMC, 2.1): 2 executions.
var x
thread I { x := 1 }
thread II { a := x }
observe II:a
