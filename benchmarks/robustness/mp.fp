// Message passing (Example 3.2): what release/acquire is made for.
var x, y

thread writer {
  x := 1
  y := 1
}

thread reader {
  a := y
  b := x
}
