// RSMC, Fig. 9: one load races with two stores.
var x

thread P { L0: r := x }
thread Q { L1: x := 1 }
thread R { L2: x := 2 }

observe P:r, x
