// SB writing the initial value again (Rocker, section 4): state robust, but not execution-graph robust.
var x, y
thread I { x.rel := 0; a := y.acq }
thread II { y.rel := 0; b := x.acq }
