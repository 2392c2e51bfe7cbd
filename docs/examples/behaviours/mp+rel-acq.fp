// Message passing through a release store and an acquire load.
var data, flag
thread P { data := 1; flag.rel := 1 }
thread Q { f := flag.acq; d := data }
exists (Q:f == 1 && Q:d == 0)
