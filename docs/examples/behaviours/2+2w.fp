// Two stores each, in opposite order: both first stores win.
var x, y
thread P { x := 1; y := 2 }
thread Q { y := 1; x := 2 }
exists (x == 1 && y == 1)
