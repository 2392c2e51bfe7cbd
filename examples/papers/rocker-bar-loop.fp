// BAR with busy loops (Rocker, section 2): not robust, both threads may see stale values.
var x, y
thread I {
  x := 1
  L1: r1 := y
  if r1 != 1 goto L1
}
thread II {
  y := 1
  L1: r2 := x
  if r2 != 1 goto L1
}
