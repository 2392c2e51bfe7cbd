// SB+10W+syncs (RSMC, Fig. 11): 3 traces under POWER.
var x, y, z

thread P {
  L0: x := 1
  L1: sync
  L2: r0 := y
  L3: if r0 == 1 goto L14
  z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1
  L14: r0 := 0
}

thread Q {
  M0: y := 1
  M1: sync
  M2: r1 := x
  M3: if r1 == 1 goto M14
  z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1
  M14: r1 := 0
}

observe x, y, z
