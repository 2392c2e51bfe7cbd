// BAR (Rocker, section 2), a global barrier with blocking waits: robust against RA.
var x, y
thread I { x := 1; wait(y == 1) }
thread II { y := 1; wait(x == 1) }
