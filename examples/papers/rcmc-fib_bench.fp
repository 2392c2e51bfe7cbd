// fib_bench(K) (RCMC, Table 5): K = 3: 2258, 4: 34205, 5: 525630 executions; SC: 1698, 19605, 218243.
const K = 3
const LIMIT = 21                 // fib(2K + 2)
var x = 1, y = 1

thread I { for k in 1..K { a := x.acq; b := y.acq; x.rel := a + b } }
thread II { for k in 1..K { a := y.acq; b := x.acq; y.rel := a + b } }
thread III {
  i := x.acq
  j := y.acq
  assert(i <= LIMIT && j <= LIMIT)
}
