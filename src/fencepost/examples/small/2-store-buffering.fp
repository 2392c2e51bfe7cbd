// fencepost: model=tso expect=fail
// Store buffering, in the .fp language: both reads see the old value
var x, y

thread P { x := 1; r := y }
thread Q { y := 1; r := x }

forall (P:r == 1 || Q:r == 1)
