var n = 3
var a[n]
thread P { r := a[0] }
