var x
thread P