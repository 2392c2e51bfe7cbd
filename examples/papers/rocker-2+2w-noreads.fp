// 2+2W without its reads (Rocker, section 4): state robust for a trivial reason, but not execution-graph robust.
var x, y
thread I { x.rel := 1; y.rel := 2 }
thread II { y.rel := 1; x.rel := 2 }
