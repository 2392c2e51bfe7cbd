// FAIS (RCMC, Fig. 4): two atomic increments never read from the same write. 2 executions.
var x
thread I { a := FADD(x, 1) }
thread II { b := FADD(x, 1) }
forall (x == 2)
