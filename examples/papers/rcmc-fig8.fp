// RCMC, Fig. 8: a failed CAS may become exclusive when its read is revisited, in conflict with an increment.
var x
thread I { a := CAS(x, 1, 42) }
thread II { b := FADD(x, 1) }
thread III { c := FADD(x, 1) }
observe x, I:a, II:b, III:c
