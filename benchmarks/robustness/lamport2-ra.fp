// Lamport's fast mutual exclusion for 2 threads, with the fences that release/acquire needs.
var x, y, b1, b2
na critical

thread one {
  start: b1 := 1
  x := 1
  fence.sc
  if y != 0 {
    b1 := 0
    while y != 0 { skip }
    goto start
  }
  y := 1
  fence.sc
  if x != 1 {
    b1 := 0
    while b2 != 0 { skip }
    if y != 1 {
      while y != 0 { skip }
      goto start
    }
  }
  critical := 1
  r := critical
  assert(r == 1)
  y := 0
  fence.sc
  b1 := 0
  goto start
}

thread two {
  start: b2 := 1
  x := 2
  fence.sc
  if y != 0 {
    b2 := 0
    while y != 0 { skip }
    goto start
  }
  y := 2
  fence.sc
  if x != 2 {
    b2 := 0
    while b1 != 0 { skip }
    if y != 2 {
      while y != 0 { skip }
      goto start
    }
  }
  critical := 2
  r := critical
  assert(r == 2)
  y := 0
  fence.sc
  b2 := 0
  goto start
}
