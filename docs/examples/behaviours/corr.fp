// Coherence: one thread sees a variable go back in time.
var x
thread P { x := 1 }
thread Q { a := x; b := x }
exists (Q:a == 1 && Q:b == 0)
