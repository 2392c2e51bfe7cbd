var x, i
fn f(i) { return i }
thread P { skip }
