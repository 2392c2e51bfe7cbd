// casrot(N) (RCMC, Table 1): N = 4: 14, 6: 144, 8: 2048, 10: 38486 executions.
const N = 4
var x
thread T(i in 1..N) { CAS(x, i - 1, i) }
observe x
