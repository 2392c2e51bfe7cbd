// SB with lwsyncs (Power2SC, section 4.6): POWER reaches lines 4 and 10 together.
var x, y

thread p1 {
  x := 1
  lwsync
  $r1 := y
  assume($r1 == 0)
  L4: skip
}

thread p2 {
  y := 1
  lwsync
  $r2 := x
  assume($r2 == 0)
  L10: skip
}

exists (p1:$r1 == 0 && p2:$r2 == 0)
