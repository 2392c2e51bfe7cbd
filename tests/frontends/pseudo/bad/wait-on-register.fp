var x
thread P { r := 1; wait(r == 1) }
