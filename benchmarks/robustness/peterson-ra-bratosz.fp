// Peterson's mutual exclusion for two threads, by Bartosz Milewski: the flag is exchanged, which is not enough.
var flag0, flag1, turn
na critical

thread zero {
  start: XCHG(flag0, 1)
  turn := 1
  while flag1 == 1 && turn == 1 { skip }
  critical := 0
  r := critical
  assert(r == 0)
  flag0 := 0
  goto start
}

thread one {
  start: XCHG(flag1, 1)
  turn := 0
  while flag0 == 1 && turn == 0 { skip }
  critical := 1
  r := critical
  assert(r == 1)
  flag1 := 0
  goto start
}
