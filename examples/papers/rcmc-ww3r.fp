// WW3R (RCMC, section 5): WRC11 lets a thread oscillate between two unordered writes, RC11 does not.
var x
thread I { x := 1 }
thread II { x := 2 }
thread III { a := x; b := x; c := x }
~exists (III:a == 1 && III:b == 2 && III:c == 1)
