// Load buffering with data dependencies: values out of thin air.
var x, y
thread P { r := x; y := r }
thread Q { r := y; x := r }
exists (P:r == 1 && Q:r == 1)
