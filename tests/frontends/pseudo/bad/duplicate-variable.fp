var x
var y, x
thread P { x := 1 }
