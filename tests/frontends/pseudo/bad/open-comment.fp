var x
/* the rest
thread P { x := 1 }
