var x
thread P { x := 1; fence.strong; r := x }
