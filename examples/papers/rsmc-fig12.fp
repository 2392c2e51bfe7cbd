// MP+lwsync+sync (RSMC, Fig. 12): POWER forbids seeing y without x.
var x, y

thread P {
  L0: x := 1
  L1: lwsync
  L2: y := 1
}

thread Q {
  L3: r1 := y
  L4: sync
  L5: r2 := x
}

~exists (Q:r1 == 1 && Q:r2 == 0)
