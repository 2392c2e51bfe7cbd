var x
thread P { r := x }
thread Q { s := P:r }
