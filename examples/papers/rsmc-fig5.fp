// RSMC, Fig. 5: with too weak a commit-before order L1 could never be committed after L2.
var x, y

thread P {
  L0: r0 := y
  L1: x := r0
  L2: x := 2
}

thread Q {
  L3: x := 3
  L4: sync
  L5: y := 1
}

observe x, P:r0
