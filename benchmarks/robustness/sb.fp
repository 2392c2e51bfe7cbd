// Store buffering (Example 3.1): the simplest weak behaviour.
var x, y

thread left {
  x := 1
  a := y
}

thread right {
  y := 1
  b := x
}
