// lastzero1(N): lastzero(N) with its threads in the opposite order, which some algorithms find much easier or harder.
const N = 5
var a[N + 1]
thread T(k in 1..N) { a[N + 1 - k].rel := a[N - k].acq + 1 }
thread seeker {
  i := N
  while a[i].acq != 0 { i := i - 1 }
}
