var x
thread P { r := 1 < x < 3 }
