// 2+2W (Example 3.4): a write need not be the newest of its location under release/acquire.
var x, y

thread left {
  x := 1
  y := 2
  a := y
}

thread right {
  y := 1
  x := 2
  a := x
}
