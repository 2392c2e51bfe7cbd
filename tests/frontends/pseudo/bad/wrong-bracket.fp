var a[2]
thread P { r := a[1) }
