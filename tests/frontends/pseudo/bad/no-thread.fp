var x
fn f() { return 1 }
