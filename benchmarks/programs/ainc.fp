// ainc(N): N! executions.
const N = 4
var x
thread T(i in 1..N) { FADD(x, 1) }
