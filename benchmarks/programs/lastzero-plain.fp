// lastzero(N) with plain accesses, for hardware models; SYNC = 1 puts a sync between all of them.
const N = 5
const SYNC = 0
var a[N + 1]
thread seeker {
  i := N
  r := a[i]
  while r != 0 {
    i := i - 1
    if SYNC { sync }
    r := a[i]
  }
}
thread T(j in 1..N) {
  r := a[j - 1]
  if SYNC { sync }
  a[j] := r + 1
}
