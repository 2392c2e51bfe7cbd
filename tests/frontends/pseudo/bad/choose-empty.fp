var x
thread P { r := choose(2..1) }
