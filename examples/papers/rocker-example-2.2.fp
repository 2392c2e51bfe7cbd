// A sequential program (Rocker, Example 2.2): the loop of its labelled transition system, then a write.
var x
thread P {
  L0: r := r + 1
  if r < 2 goto L0
  x := r
}
forall (P:r == 2 && x == 2)
