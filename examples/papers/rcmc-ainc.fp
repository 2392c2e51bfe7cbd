// ainc(N) (RCMC, Table 2): N! executions.
const N = 4
var x
thread T(i in 1..N) { FADD(x, 1) }
forall (x == N)
