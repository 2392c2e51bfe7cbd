// Dekker's entry protocol: each raises its flag, then looks at the other's
var x, y

thread left {
  x := 1
  a := y
}

thread right {
  y := 1
  b := x
}
