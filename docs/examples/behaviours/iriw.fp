// Independent reads of independent writes: two readers see two stores in opposite orders.
var x, y
thread P { x := 1 }
thread Q { y := 1 }
thread R { a := x; b := y }
thread S { c := y; d := x }
exists (R:a == 1 && R:b == 0 && S:c == 1 && S:d == 0)
