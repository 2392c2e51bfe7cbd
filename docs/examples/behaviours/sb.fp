// Store buffering: both threads store, then load the other's variable, and both miss the store.
var x, y
thread P { x := 1; r := y }
thread Q { y := 1; r := x }
exists (P:r == 0 && Q:r == 0)
