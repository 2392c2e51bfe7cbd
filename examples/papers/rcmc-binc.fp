// binc(N) (RCMC, Table 2): (N!)^2 executions.
const N = 3
var x, y
thread T(i in 1..N) { FADD(x, 1); FADD(y, 1) }
forall (x == N && y == N)
