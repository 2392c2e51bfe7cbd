var x, y

thread P0 {
  x := 1
  y := 1
}

thread P1 {
  r1 := y
  r2 := x
  assert(r1 == 0 || r2 == 1)
}
