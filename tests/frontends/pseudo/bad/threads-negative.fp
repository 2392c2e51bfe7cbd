var x
thread T(i in 0 - 1..2) { x := i }
