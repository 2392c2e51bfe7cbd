// Two compare-exchanges of one value (Example 3.5): only one of them succeeds.
var x

thread left { a := CAS(x, 0, 1) }

thread right { b := CAS(x, 0, 1) }
