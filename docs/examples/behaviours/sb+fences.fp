// Store buffering with a full fence in each thread.
var x, y
thread P { x := 1; fence.sc; r := y }
thread Q { y := 1; fence.sc; r := x }
exists (P:r == 0 && Q:r == 0)
