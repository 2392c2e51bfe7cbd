var x
thread P { r := choose(1, 2) }
