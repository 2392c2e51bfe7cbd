// binc(N): (N!)² executions.
const N = 3
var x, y
thread T(i in 1..N) { FADD(x, 1); FADD(y, 1) }
