var x
fn f(u, v) { return u }
thread P { r := f(1) }
