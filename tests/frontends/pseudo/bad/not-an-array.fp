var x
thread P { r := x[0] }
