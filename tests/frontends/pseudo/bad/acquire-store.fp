var x
thread P { x.acq := 1 }
