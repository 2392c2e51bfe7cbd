// readers(N): 2^N executions under every model.
const N = 8
var x
thread writer { x.rel := 42 }
thread reader(i in 1..N) { r := x.acq }
