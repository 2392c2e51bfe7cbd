int x;
thread P { x := 2 }
