// Store buffering with RMWs of one location in between (Example 3.6): they serve as fences.
var x, y, f

thread left {
  x := 1
  FADD(f, 0)
  a := y
}

thread right {
  y := 1
  FADD(f, 0)
  b := x
}
