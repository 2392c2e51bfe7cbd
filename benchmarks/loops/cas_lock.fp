// cas_lock.c in pseudo-code
const N = 4
var x, data
thread T(i in 1..N) { k := 0; e := 0; while !k { e, k := CAS(x.acq, e, 1); e := 0 }; data := data + 1; x.rel := 0 }
