var x
thread P { r := x; s := r.acq }
