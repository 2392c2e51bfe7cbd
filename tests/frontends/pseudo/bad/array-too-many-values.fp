var a[2] = [1, 2, 3]
thread P { r := a[0] }
