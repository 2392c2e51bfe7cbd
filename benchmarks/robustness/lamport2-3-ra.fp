// Lamport's fast mutual exclusion ("A fast mutual exclusion algorithm", 1987, algorithm 2) for three threads that enter
// again and again, with the fences that release/acquire needs; `b` and the loops over it are the slow path. Lamport's
// "await" is `wait`, which blocks: as busy loops they would make it not robust, without harm.
var x, y, b[4]
na critical

thread T(i in 1..3) {
  start: b[i] := 1
  fence.sc
  x := i
  fence.sc
  if y != 0 {
    b[i] := 0
    wait(y == 0)
    goto start
  }
  y := i
  fence.sc
  if x != i {
    b[i] := 0
    fence.sc
    for j in 1..3 {
      if j != i {
        wait(b[j] == 0)
      }
    }
    if y != i {
      wait(y == 0)
      goto start
    }
  }
  critical := i
  r := critical
  assert(r == i)
  y := 0
  fence.sc
  b[i] := 0
  goto start
}
