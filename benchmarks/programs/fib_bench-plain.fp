// fib_bench(K) with plain accesses, for hardware models; SYNC = 1 puts a sync between all of them.
const K = 3
const LIMIT = 21
const SYNC = 0
var x = 1, y = 1
thread I {
  for k in 1..K {
    a := x; if SYNC { sync }
    b := y; if SYNC { sync }
    x := a + b; if SYNC { sync }
  }
}
thread II {
  for k in 1..K {
    a := y; if SYNC { sync }
    b := x; if SYNC { sync }
    y := a + b; if SYNC { sync }
  }
}
thread III {
  i := x; if SYNC { sync }
  j := y
  assert(i <= LIMIT && j <= LIMIT)
}
