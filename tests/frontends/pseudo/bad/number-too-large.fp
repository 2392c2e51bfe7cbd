var x = 9223372036854775808
thread P { x := 1 }
