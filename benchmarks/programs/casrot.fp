// casrot(N): a compare-exchange that only the right order lets succeed.
const N = 4
var x
thread T(i in 1..N) { CAS(x, i - 1, i) }
