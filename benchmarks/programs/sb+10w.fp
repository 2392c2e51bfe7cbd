// SB+10W (RSMC, Fig. 11): store buffering; who misses the other's write adds ten writes to z. FENCE: 0 none, 1 sync, 2 lwsync.
const FENCE = 1
var x, y, z
thread P {
  x := 1
  if FENCE == 1 { sync }
  if FENCE == 2 { lwsync }
  r := y
  if r == 0 { z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1 }
}
thread Q {
  y := 1
  if FENCE == 1 { sync }
  if FENCE == 2 { lwsync }
  r := x
  if r == 0 { z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1 }
}
