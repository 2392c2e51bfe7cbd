// The same lock after preprocessing (RCMC, 2.6): only the last round of the loop, and an assumption.
const N = 2
var x
na  inside

thread T(i in 1..N) {
  _, a := CAS(x.acq, 0, 1)
  assume(a)
  inside := i
  x.rel := 0
}
