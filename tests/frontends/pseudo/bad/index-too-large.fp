var a[3]
thread P { r := a[3] }
