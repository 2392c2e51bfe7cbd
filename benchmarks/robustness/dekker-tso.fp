// Dekker's mutual exclusion for two threads, with the fences that TSO needs.
var flag0, flag1, turn
na critical

thread zero {
  start: flag0 := 1
  fence.sc
  while flag1 == 1 {
    if turn != 0 {
      flag0 := 0
      fence.sc
      while turn != 0 { skip }
      flag0 := 1
      fence.sc
    }
  }
  critical := 0
  r := critical
  assert(r == 0)
  turn := 1
  flag0 := 0
  goto start
}

thread one {
  start: flag1 := 1
  fence.sc
  while flag0 == 1 {
    if turn != 1 {
      flag1 := 0
      fence.sc
      while turn != 1 { skip }
      flag1 := 1
      fence.sc
    }
  }
  critical := 1
  r := critical
  assert(r == 1)
  turn := 0
  flag1 := 0
  goto start
}
