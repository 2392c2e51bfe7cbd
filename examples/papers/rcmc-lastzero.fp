// lastzero(N) (RCMC, Table 4): N = 5: 64, 10: 3328, 15: 147456 executions.
const N = 5
var a[N + 1]

thread seeker {
  i := N
  while a[i].acq != 0 { i := i - 1 }
}

thread T(j in 1..N) { a[j].rel := a[j - 1].acq + 1 }

observe seeker:i
