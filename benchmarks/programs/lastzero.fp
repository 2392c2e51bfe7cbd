// lastzero(N): one thread scans down for a zero while N others fill an array from their left neighbours.
const N = 5
var a[N + 1]
thread seeker {
  i := N
  while a[i].acq != 0 { i := i - 1 }
}
thread T(j in 1..N) { a[j].rel := a[j - 1].acq + 1 }
