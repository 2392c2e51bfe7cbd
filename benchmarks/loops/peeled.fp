// peeled.c in pseudo-code
var x
thread W(i in 1..2) { k := x; if k != 2 { k := x; while k != 2 { k := x } } }
thread P { x := 3; x := 4; x := 5; x := 2 }
