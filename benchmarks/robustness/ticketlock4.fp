// A ticket lock, four threads, each of which takes it twice.
var next, serving
na critical

thread T(i in 1..4) {
  for round in 1..2 {
    mine := FADD(next, 1)
    while serving != mine { skip }
    critical := i
    r := critical
    assert(r == i)
    serving := mine + 1
  }
}
