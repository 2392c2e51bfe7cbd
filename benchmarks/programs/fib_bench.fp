// fib_bench(K): two threads race to compute Fibonacci numbers; a third looks. LIMIT is fib(2K + 2).
const K = 3
const LIMIT = 21
var x = 1, y = 1
thread I { for k in 1..K { a := x.acq; b := y.acq; x.rel := a + b } }
thread II { for k in 1..K { a := y.acq; b := x.acq; y.rel := a + b } }
thread III {
  i := x.acq
  j := y.acq
  assert(i <= LIMIT && j <= LIMIT)
}
