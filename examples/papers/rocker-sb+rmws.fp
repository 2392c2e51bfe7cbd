// SB+RMWs (Rocker, Example 3.6): RMWs of one location are SC fences; robust.
var x, y, f
thread I { x.rel := 1; r := FADD(f.acq_rel, 0); a := y.acq }
thread II { y.rel := 1; r := FADD(f.acq_rel, 0); b := x.acq }
~exists (I:a == 0 && II:b == 0)
