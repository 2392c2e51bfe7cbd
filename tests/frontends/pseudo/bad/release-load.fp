var x
thread P { r := x.rel }
