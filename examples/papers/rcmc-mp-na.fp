// MP whose message is non-atomic and whose flag is relaxed (RCMC, 2.5.2): a data race.
na  x
var y
thread I { x := 1; y := 1 }
thread II { a := y; if a == 1 { b := x } }
