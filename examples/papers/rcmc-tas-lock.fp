// A test-and-set lock (RCMC, 2.6): a failed CAS leaves the thread as it was.
const N = 2
var x
na  inside

thread T(i in 1..N) {
  ok := 0
  while !ok { _, ok := CAS(x.acq, 0, 1) }
  inside := i
  x.rel := 0
}
