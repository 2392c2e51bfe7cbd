var x
thread P { wait(x) }
