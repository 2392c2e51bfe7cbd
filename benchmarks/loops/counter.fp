// counter.c in pseudo-code
const N = 4
var x
thread T(i in 1..N) { k := 0; e := x; while !k { e, k := CAS(x, e, e + 1) } }
