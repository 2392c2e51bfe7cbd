// A ticket lock, two threads, each of which takes it three times.
var next, serving
na critical

thread T(i in 1..2) {
  for round in 1..3 {
    mine := FADD(next, 1)
    while serving != mine { skip }
    critical := i
    r := critical
    assert(r == i)
    serving := mine + 1
  }
}
