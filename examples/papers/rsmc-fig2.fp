// LB+data (RSMC, Fig. 2): POWER reorders L2 and L3, so both threads may read what the other wrote. 4 traces.
var x, y

thread P {
  L0: r0 := x
  L1: y := r0 + 1
}

thread Q {
  L2: r1 := y
  L3: x := 1
}

exists (P:r0 == 1 && Q:r1 == 2)
