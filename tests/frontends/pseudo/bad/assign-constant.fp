const N = 2
thread P { N := 3 }
