var x
thread P { r := (x + 1; x := 2 }
