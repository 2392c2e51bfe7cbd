// readers(N) (RCMC, Table 4): 2^N executions.
const N = 8
var x
thread writer { x.rel := 42 }
thread reader(i in 1..N) { r := x.acq }
