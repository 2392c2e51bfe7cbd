// BAR of §2.3 with busy loops: both threads may see 0 once more than SC allows. Not robust, though harmless.
var x, y

thread first {
  x := 1
  again: r := y
  if r != 1 goto again
}

thread second {
  y := 1
  again: r := x
  if r != 1 goto again
}
