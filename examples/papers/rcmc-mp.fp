// MP (RCMC, 2.5.1): the acquire read synchronises with the release write.
var x, y
thread I { x.rlx := 1; y.rel := 1 }
thread II { a := y.acq; b := x.rlx }
~exists (II:a == 1 && II:b == 0)
