var x
thread P { else { x := 1 } }
