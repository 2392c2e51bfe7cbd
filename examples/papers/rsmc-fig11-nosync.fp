// SB+10W (RSMC, Fig. 11 without its syncs): 184759 traces under POWER, and under TSO and PSO.
var x, y, z

thread P {
  L0: x := 1
  L2: r0 := y
  L3: if r0 == 1 goto L14
  z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1
  L14: r0 := 0
}

thread Q {
  M0: y := 1
  M2: r1 := x
  M3: if r1 == 1 goto M14
  z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1; z := 1
  M14: r1 := 0
}

observe x, y, z
