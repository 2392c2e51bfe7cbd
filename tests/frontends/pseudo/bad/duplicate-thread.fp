var x
thread P { x := 1 }
thread P { x := 2 }
