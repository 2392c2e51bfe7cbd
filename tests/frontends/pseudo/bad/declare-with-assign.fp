var x := 1
thread P { x := 2 }
