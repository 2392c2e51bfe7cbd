var x
x := 1
thread P { skip }
