// A test-and-test-and-set spin lock, two threads.
var lock
na critical

thread T(i in 1..2) {
  again: while lock != 0 { skip }
  r := CAS(lock, 0, 1)
  if r != 0 goto again
  critical := i
  r := critical
  assert(r == i)
  lock := 0
  goto again
}
