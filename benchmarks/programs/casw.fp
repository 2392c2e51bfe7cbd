// casw(N): each thread tries a compare-exchange and then overwrites the result. Most of the executions differ only in
// the order of writes that nobody reads.
const N = 3
var x
thread T(i in 1..N) { CAS(x, 0, i); x.rel := i + 3 }
