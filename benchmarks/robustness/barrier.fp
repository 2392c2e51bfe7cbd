// BAR of §2.3: two threads meet. The blocking wait hides the harmless repetition of a busy loop.
var x, y

thread first {
  x := 1
  wait(y == 1)
}

thread second {
  y := 1
  wait(x == 1)
}
