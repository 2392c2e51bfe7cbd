// casw(N) (RCMC, Table 3): N = 3: 66, 4: 1200, 5: 32880, 6: 1270080 executions; WRC11: 24, 200, 2160, 28812.
const N = 3
var x
thread T(i in 1..N) { CAS(x, 0, i); x.rel := i + 3 }
observe x
