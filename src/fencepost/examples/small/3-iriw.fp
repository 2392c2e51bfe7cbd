// fencepost: model=power expect=fail
// IRIW: two readers disagree about the order of two writes
var x, y

thread W1 { x := 1 }
thread W2 { y := 1 }
thread R1 { a := x; b := y }
thread R2 { a := y; b := x }

forall (!(R1:a == 1 && R1:b == 0 && R2:a == 1 && R2:b == 0))
