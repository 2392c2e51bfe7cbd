// Load buffering: each thread reads what the other stores afterwards.
var x, y
thread P { r := x; y := 1 }
thread Q { r := y; x := 1 }
exists (P:r == 1 && Q:r == 1)
