// RSMC, Fig. 13: address and control dependencies. x starts as an address here, so that L4 always writes to a variable.
var x = &y, y

thread P {
  L0: r0 := x
  L1: if r0 == 1 goto L0
  L2: x := &x
}

thread Q {
  L3: r1 := x
  L4: [r1] := 1
  L5: r2 := y
}

observe P:r0, Q:r2
