var x
thread P { r := x }
filter (x == 1)
