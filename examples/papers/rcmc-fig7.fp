// The sequential program that RCMC, Fig. 7 draws as an automaton: after a write and a read of 1 comes an acquiring CAS
// that is exclusive where it reads 0; what follows depends on what it read.
var x, y

thread I {
  y.rel := 1
  a := y
  if a == 1 {
    _, ok := CAS(x.acq, 0, 1)
    assert(ok)
  }
}

thread II { y := 2 }
