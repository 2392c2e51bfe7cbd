var x
thread P { atomic { atomic { x := 1 } } }
